// SPDX-License-Identifier: Apache-2.0

/// CoreFoundation's run loops. The Swift module is linked to them; the C library uses those its client has loaded.
package protocol RunLoopSystem: Sendable {
    /// Makes a version 0 source.
    func makeSource(order: Int, _ handlers: RunLoopSourceHandlers) -> CoreObject?
    /// Retains an object.
    func hold(_ pointer: UnsafeMutableRawPointer) -> CoreObject
    func invalidate(_ source: CoreObject)
    func add(_ source: CoreObject, to pair: LoopAndMode)
    func remove(_ source: CoreObject, from pair: LoopAndMode)
    func signal(_ source: CoreObject)
    func wake(_ loop: CoreObject)
    /// Whether the loop sleeps in a mode that has the source.
    func isWaiting(_ loop: CoreObject, for source: CoreObject) -> Bool
    /// CFEqual.
    func isEqual(_ left: CoreObject, _ right: CoreObject) -> Bool
}

/// What a source does. It holds the handlers as long as it lives.
package struct RunLoopSourceHandlers: Sendable {
    /// Called on the thread of a loop that the source was added to.
    package let perform: @Sendable () -> Void
    /// Called after the source was added to a mode of a loop.
    package let added: @Sendable (LoopAndMode) -> Void
    /// Called after the source was removed from a mode of a loop, also if it was invalidated.
    package let removed: @Sendable (LoopAndMode) -> Void

    package init(
        perform: @escaping @Sendable () -> Void, added: @escaping @Sendable (LoopAndMode) -> Void = { _ in },
        removed: @escaping @Sendable (LoopAndMode) -> Void = { _ in }
    ) {
        self.perform = perform
        self.added = added
        self.removed = removed
    }
}

/// A run loop and one of its modes.
package struct LoopAndMode: Sendable {
    package let loop: CoreObject
    package let mode: CoreObject

    package init(loop: CoreObject, mode: CoreObject) {
        self.loop = loop
        self.mode = mode
    }
}

/// An object of CoreFoundation, retained as long as this one lives.
@safe
package final class CoreObject: @unchecked Sendable {
    // Only the run loop functions get the pointer, and they may be called from any thread.
    package let pointer: UnsafeMutableRawPointer
    private let release: @Sendable (UnsafeMutableRawPointer) -> Void

    /// Takes over one reference, which `release` releases.
    package init(_ pointer: UnsafeMutableRawPointer, release: @escaping @Sendable (UnsafeMutableRawPointer) -> Void) {
        unsafe self.pointer = pointer
        unsafe self.release = unsafe release
    }

    deinit {
        unsafe release(pointer)
    }
}
