// SPDX-License-Identifier: Apache-2.0

import CNetworkHeaders
import Glibc

// A client's blocks and queues belong to the BlocksRuntime and the libdispatch that the client has loaded, and only the
// functions of the same copy may use them. So the functions are looked up in the program at run time. This library's own
// copies, part of the static Swift runtime when it is installed, are not visible to the client.

/// Looks up a function of the libraries that the program has loaded.
private func loaded<Function>(_ name: String, as type: Function.Type) -> Function? {
    unsafe dlsym(nil, name).map { unsafe unsafeBitCast($0, to: type) }
}

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
        else { fatalError("the program has no BlocksRuntime that can copy its blocks; link it with -lBlocksRuntime") }
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

/// A queue of the client's.
@safe
final class ClientQueue: @unchecked Sendable {  // queues may be used from any thread (dispatch_queue_create(3))
    private typealias Hold = @convention(c) (UnsafeMutableRawPointer) -> Void
    private typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private typealias Submit = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer?, Function) -> Void

    private let queue: UnsafeMutableRawPointer
    private let submit: Submit
    private let release: Hold

    /// Nil for NULL, and if there is no libdispatch, as then the pointer cannot be a queue.
    init?(_ given: nw_handle?) {
        guard let given = unsafe given, let retain = unsafe loaded("dispatch_retain", as: Hold.self),
            let release = unsafe loaded("dispatch_release", as: Hold.self),
            let submit = unsafe loaded("dispatch_async_f", as: Submit.self)
        else { return nil }
        unsafe queue = UnsafeMutableRawPointer(given)
        unsafe retain(queue)
        unsafe self.release = release
        unsafe self.submit = submit
    }

    deinit {
        unsafe release(queue)
    }

    func run(_ work: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(Work(work)).toOpaque()
        unsafe submit(queue, box) { box in
            unsafe Unmanaged<Work>.fromOpaque(box!).takeRetainedValue().run()
        }
    }

    /// A closure for a C callback.
    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
