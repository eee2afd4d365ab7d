// SPDX-License-Identifier: Apache-2.0

/// CoreFoundation's run loops. The Swift module has them linked; the C library uses those its client brought along.
package protocol RunLoopSystem: Sendable {
    /// A version 0 source of order 0. `perform` is called on the thread of a loop it was added to.
    func makeSource(_ perform: @escaping @Sendable () -> Void) -> CoreObject?
    func invalidate(_ source: CoreObject)
    func add(_ source: CoreObject, to place: RunLoopPlace)
    func remove(_ source: CoreObject, from place: RunLoopPlace)
    func signal(_ source: CoreObject)
    func wake(_ loop: CoreObject)
    /// Whether the loop sleeps in a mode that would notice the source.
    func isWaiting(_ loop: CoreObject, for source: CoreObject) -> Bool
    /// CFEqual.
    func isEqual(_ left: CoreObject, _ right: CoreObject) -> Bool
}

/// A loop, and the mode of it.
package struct RunLoopPlace: Sendable {
    package let loop: CoreObject
    package let mode: CoreObject

    package init(loop: CoreObject, mode: CoreObject) {
        self.loop = loop
        self.mode = mode
    }
}

/// An object of CoreFoundation, held for as long as this one lives.
@safe
package final class CoreObject: @unchecked Sendable {
    // The run loop functions are safe from any thread, and nothing else is done with the pointer.
    package let pointer: UnsafeMutableRawPointer
    private let release: @Sendable (UnsafeMutableRawPointer) -> Void

    /// Takes over one reference, which `release` gives back.
    package init(_ pointer: UnsafeMutableRawPointer, release: @escaping @Sendable (UnsafeMutableRawPointer) -> Void) {
        unsafe self.pointer = pointer
        unsafe self.release = unsafe release
    }

    deinit {
        unsafe release(pointer)
    }
}
