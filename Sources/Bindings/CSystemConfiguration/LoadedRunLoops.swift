// SPDX-License-Identifier: Apache-2.0

import SystemConfigurationCore

/// The run loops of the CoreFoundation that the program has loaded.
@safe
struct LoadedRunLoops: RunLoopSystem, @unchecked Sendable {
    private typealias Object = UnsafeMutableRawPointer
    private typealias SourceFunction = @convention(c) (Object) -> Void
    private typealias LoopFunction =
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
    private typealias PairFunction = @convention(c) (Object, Object, Object) -> Void

    private let foundation: LoadedFoundation
    private let create: @convention(c) (Object?, Int, UnsafeMutableRawPointer) -> Object?
    private let sourceInvalidate: SourceFunction
    private let sourceSignal: SourceFunction
    private let addSource: PairFunction
    private let removeSource: PairFunction
    private let wakeUp: SourceFunction
    private let loopIsWaiting: @convention(c) (Object) -> Bool
    private let copyCurrentMode: @convention(c) (Object) -> Object?
    private let containsSource: @convention(c) (Object, Object, Object) -> Bool

    /// Nil while the program has not loaded CoreFoundation.
    static var shared: LoadedRunLoops? { LoadedRunLoops() }

    private init?() {
        guard let foundation = LoadedFoundation.shared,
            let create = unsafe loaded(
                "CFRunLoopSourceCreate", as: (@convention(c) (Object?, Int, UnsafeMutableRawPointer) -> Object?).self),
            let sourceInvalidate = unsafe loaded("CFRunLoopSourceInvalidate", as: SourceFunction.self),
            let sourceSignal = unsafe loaded("CFRunLoopSourceSignal", as: SourceFunction.self),
            let addSource = unsafe loaded("CFRunLoopAddSource", as: PairFunction.self),
            let removeSource = unsafe loaded("CFRunLoopRemoveSource", as: PairFunction.self),
            let wakeUp = unsafe loaded("CFRunLoopWakeUp", as: SourceFunction.self),
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

    /// A client's loop and mode; nil if an argument is null.
    func pair(_ loop: OpaquePointer?, _ mode: OpaquePointer?) -> LoopAndMode? {
        guard let loop = unsafe loop, let mode = unsafe mode else { return nil }
        return unsafe LoopAndMode(
            loop: foundation.hold(UnsafeMutableRawPointer(loop)), mode: foundation.hold(UnsafeMutableRawPointer(mode)))
    }

    func makeSource(order: Int, _ handlers: RunLoopSourceHandlers) -> CoreObject? {
        // CFRunLoopSourceContext of CFRunLoop.h: version, info, retain, release, copyDescription, equal, hash,
        // schedule, cancel, perform. Each is one word. CFRunLoopSourceCreate copies it.
        unsafe withUnsafeTemporaryAllocation(of: UInt.self, capacity: 10) { words in
            unsafe words.initialize(repeating: 0)
            let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { info in
                unsafe Unmanaged<SourceInfo>.fromOpaque(info!).release()
            }
            let added: LoopFunction = { unsafe SourceInfo.of($0).added($1, $2) }
            let removed: LoopFunction = { unsafe SourceInfo.of($0).removed($1, $2) }
            let perform: @convention(c) (UnsafeMutableRawPointer?) -> Void = { unsafe SourceInfo.of($0).perform() }
            let info = SourceInfo(handlers, foundation)
            unsafe words[1] = UInt(bitPattern: Unmanaged.passRetained(info).toOpaque())
            unsafe words[3] = unsafeBitCast(release, to: UInt.self)
            unsafe words[7] = unsafeBitCast(added, to: UInt.self)
            unsafe words[8] = unsafeBitCast(removed, to: UInt.self)
            unsafe words[9] = unsafeBitCast(perform, to: UInt.self)
            return unsafe create(nil, order, words.baseAddress!).map { unsafe foundation.adopt($0) }
        }
    }

    func hold(_ pointer: UnsafeMutableRawPointer) -> CoreObject { unsafe foundation.hold(pointer) }

    func invalidate(_ source: CoreObject) {
        unsafe sourceInvalidate(source.pointer)
    }

    func add(_ source: CoreObject, to pair: LoopAndMode) {
        unsafe addSource(pair.loop.pointer, source.pointer, pair.mode.pointer)
    }

    func remove(_ source: CoreObject, from pair: LoopAndMode) {
        unsafe removeSource(pair.loop.pointer, source.pointer, pair.mode.pointer)
    }

    func signal(_ source: CoreObject) {
        unsafe sourceSignal(source.pointer)
    }

    func wake(_ loop: CoreObject) {
        unsafe wakeUp(loop.pointer)
    }

    func isWaiting(_ loop: CoreObject, for source: CoreObject) -> Bool {
        guard unsafe loopIsWaiting(loop.pointer), let mode = unsafe copyCurrentMode(loop.pointer) else { return false }
        return unsafe containsSource(loop.pointer, source.pointer, foundation.adopt(mode).pointer)
    }

    func isEqual(_ left: CoreObject, _ right: CoreObject) -> Bool {
        foundation.isEqual(left, right)
    }
}

/// The handlers of a source, as an object for C.
private final class SourceInfo: Sendable {
    private let handlers: RunLoopSourceHandlers
    private let foundation: LoadedFoundation

    init(_ handlers: RunLoopSourceHandlers, _ foundation: LoadedFoundation) {
        self.handlers = handlers
        self.foundation = foundation
    }

    static func of(_ pointer: UnsafeMutableRawPointer?) -> SourceInfo {
        unsafe Unmanaged<SourceInfo>.fromOpaque(pointer!).takeUnretainedValue()
    }

    func perform() { handlers.perform() }

    func added(_ loop: UnsafeMutableRawPointer?, _ mode: UnsafeMutableRawPointer?) {
        unsafe handlers.added(pair(loop, mode))
    }

    func removed(_ loop: UnsafeMutableRawPointer?, _ mode: UnsafeMutableRawPointer?) {
        unsafe handlers.removed(pair(loop, mode))
    }

    private func pair(_ loop: UnsafeMutableRawPointer?, _ mode: UnsafeMutableRawPointer?) -> LoopAndMode {
        unsafe LoopAndMode(loop: foundation.hold(loop!), mode: foundation.hold(mode!))
    }
}
