// SPDX-License-Identifier: Apache-2.0

import CNetworkHeaders
import LinuxSystem

/// A block of the client's, copied. The layout of blocks is documented in "Block Implementation Specification" of clang.
@safe
final class ClientBlock: @unchecked Sendable {  // the client allows it to run on its queue
    private typealias Copy = @convention(c) (UnsafeRawPointer) -> UnsafeMutableRawPointer?
    private typealias Release = @convention(c) (UnsafeRawPointer) -> Void

    private let block: UnsafeMutableRawPointer
    private let release: Release

    /// Nil for NULL.
    init?(_ given: nw_handle?) {
        guard let given = unsafe given else { return nil }
        guard let copy = unsafe loaded("_Block_copy", as: Copy.self),
            let release = unsafe loaded("_Block_release", as: Release.self),
            let block = unsafe copy(UnsafeRawPointer(given))
        else { fatalError("the program has loaded no BlocksRuntime; link it with the shared library, -lBlocksRuntime") }
        unsafe self.block = block
        unsafe self.release = release
    }

    deinit {
        unsafe release(block)
    }

    func call() {
        typealias Invoke = @convention(c) (UnsafeMutableRawPointer) -> Void
        unsafe Self.function(of: block, as: Invoke.self)(block)
    }

    func call(_ argument: nw_handle) {
        typealias Invoke = @convention(c) (UnsafeMutableRawPointer, nw_handle) -> Void
        unsafe Self.function(of: block, as: Invoke.self)(block, argument)
    }

    /// Calls a block that is needed only until this returns, with each value until it says false.
    static func call(_ given: nw_handle?, withEach objects: [some AnyObject]) {
        typealias Invoke = @convention(c) (UnsafeMutableRawPointer, nw_handle) -> Bool
        guard let given = unsafe given else { return }
        let block = unsafe UnsafeMutableRawPointer(given)
        let invoke = unsafe function(of: block, as: Invoke.self)
        for object in objects {
            guard unsafe lend(object, to: { unsafe invoke(block, $0) }) else { return }
        }
    }

    /// The function follows the class, and two numbers of 32 bits.
    private static func function<Invoke>(of block: UnsafeMutableRawPointer, as type: Invoke.Type) -> Invoke {
        unsafe block.load(fromByteOffset: MemoryLayout<UnsafeRawPointer>.size + 8, as: type)
    }
}
