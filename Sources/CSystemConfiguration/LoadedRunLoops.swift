// SPDX-License-Identifier: Apache-2.0

import LegacyReachability

/// The run loops of the CoreFoundation that the program has loaded.
@safe
struct LoadedRunLoops: RunLoopSystem, @unchecked Sendable {
    private typealias Object = UnsafeMutableRawPointer
    private typealias OnSource = @convention(c) (Object) -> Void
    private typealias InPlace = @convention(c) (Object, Object, Object) -> Void

    private let foundation: LoadedFoundation
    private let create: @convention(c) (Object?, Int, UnsafeMutableRawPointer) -> Object?
    private let sourceInvalidate: OnSource
    private let sourceSignal: OnSource
    private let addSource: InPlace
    private let removeSource: InPlace
    private let wakeUp: OnSource
    private let loopIsWaiting: @convention(c) (Object) -> Bool
    private let copyCurrentMode: @convention(c) (Object) -> Object?
    private let containsSource: @convention(c) (Object, Object, Object) -> Bool

    /// Nil as long as the program has not loaded CoreFoundation.
    static var shared: LoadedRunLoops? { LoadedRunLoops() }

    private init?() {
        guard let foundation = LoadedFoundation.shared,
            let create = unsafe loaded(
                "CFRunLoopSourceCreate", as: (@convention(c) (Object?, Int, UnsafeMutableRawPointer) -> Object?).self),
            let sourceInvalidate = unsafe loaded("CFRunLoopSourceInvalidate", as: OnSource.self),
            let sourceSignal = unsafe loaded("CFRunLoopSourceSignal", as: OnSource.self),
            let addSource = unsafe loaded("CFRunLoopAddSource", as: InPlace.self),
            let removeSource = unsafe loaded("CFRunLoopRemoveSource", as: InPlace.self),
            let wakeUp = unsafe loaded("CFRunLoopWakeUp", as: OnSource.self),
            let loopIsWaiting = unsafe loaded("CFRunLoopIsWaiting", as: (@convention(c) (Object) -> Bool).self),
            let copyCurrentMode = unsafe loaded(
                "CFRunLoopCopyCurrentMode", as: (@convention(c) (Object) -> Object?).self),
            let containsSource = unsafe loaded(
                "CFRunLoopContainsSource", as: (@convention(c) (Object, Object, Object) -> Bool).self)
        else { return nil }
        self.foundation = foundation
        unsafe self.create = create
        unsafe self.sourceInvalidate = sourceInvalidate
        unsafe self.sourceSignal = sourceSignal
        unsafe self.addSource = addSource
        unsafe self.removeSource = removeSource
        unsafe self.wakeUp = wakeUp
        unsafe self.loopIsWaiting = loopIsWaiting
        unsafe self.copyCurrentMode = copyCurrentMode
        unsafe self.containsSource = containsSource
    }

    /// The place a client names; nil where an argument is missing.
    func place(_ loop: OpaquePointer?, _ mode: OpaquePointer?) -> RunLoopPlace? {
        guard let loop = unsafe loop, let mode = unsafe mode else { return nil }
        return unsafe RunLoopPlace(
            loop: foundation.hold(UnsafeMutableRawPointer(loop)), mode: foundation.hold(UnsafeMutableRawPointer(mode)))
    }

    func makeSource(_ perform: @escaping @Sendable () -> Void) -> CoreObject? {
        // CFRunLoopSourceContext of CFRunLoop.h: version, info, retain, release, copyDescription, equal, hash,
        // schedule, cancel, perform; a word each. CFRunLoopSourceCreate copies it.
        unsafe withUnsafeTemporaryAllocation(of: UInt.self, capacity: 10) { words in
            unsafe words.initialize(repeating: 0)
            let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { info in
                unsafe Unmanaged<Work>.fromOpaque(info!).release()
            }
            let run: @convention(c) (UnsafeMutableRawPointer?) -> Void = { info in
                unsafe Unmanaged<Work>.fromOpaque(info!).takeUnretainedValue().run()
            }
            unsafe words[1] = UInt(bitPattern: Unmanaged.passRetained(Work(perform)).toOpaque())
            unsafe words[3] = unsafeBitCast(release, to: UInt.self)
            unsafe words[9] = unsafeBitCast(run, to: UInt.self)
            return unsafe create(nil, 0, words.baseAddress!).map { unsafe foundation.take($0) }
        }
    }

    func invalidate(_ source: CoreObject) {
        unsafe sourceInvalidate(source.pointer)
    }

    func add(_ source: CoreObject, to place: RunLoopPlace) {
        unsafe addSource(place.loop.pointer, source.pointer, place.mode.pointer)
    }

    func remove(_ source: CoreObject, from place: RunLoopPlace) {
        unsafe removeSource(place.loop.pointer, source.pointer, place.mode.pointer)
    }

    func signal(_ source: CoreObject) {
        unsafe sourceSignal(source.pointer)
    }

    func wake(_ loop: CoreObject) {
        unsafe wakeUp(loop.pointer)
    }

    func isWaiting(_ loop: CoreObject, for source: CoreObject) -> Bool {
        guard unsafe loopIsWaiting(loop.pointer), let mode = unsafe copyCurrentMode(loop.pointer) else { return false }
        return unsafe containsSource(loop.pointer, source.pointer, foundation.take(mode).pointer)
    }

    func isEqual(_ left: CoreObject, _ right: CoreObject) -> Bool {
        foundation.isEqual(left, right)
    }
}
