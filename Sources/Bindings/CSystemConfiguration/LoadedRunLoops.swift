// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
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

// This library is given objects of a C program: queues, run loops, strings. These belong to the libdispatch and the
// CoreFoundation that the program has loaded, and only the functions of the same copy may use them. So the functions are
// looked up in the program at run time. This library's own copies, part of the static Swift runtime when it is installed, are
// not visible to the program.

/// Looks up a function of the libraries that the program has loaded.
func loaded<Function>(_ name: String, as type: Function.Type) -> Function? {
    unsafe dlsym(nil, name).map { unsafe unsafeBitCast($0, to: type) }
}

/// A queue of the libdispatch that the program has loaded.
@safe
final class LoadedQueue: @unchecked Sendable {  // queues may be used from any thread (dispatch_queue_create(3))
    private typealias Hold = @convention(c) (UnsafeMutableRawPointer) -> Void
    private typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private typealias Submit = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer?, Function) -> Void

    private let queue: UnsafeMutableRawPointer
    private let submit: Submit
    private let release: Hold

    /// Nil if there is no libdispatch, as then the pointer cannot be a queue.
    init?(_ queue: UnsafeMutableRawPointer) {
        guard let retain = unsafe loaded("dispatch_retain", as: Hold.self),
            let release = unsafe loaded("dispatch_release", as: Hold.self),
            let submit = unsafe loaded("dispatch_async_f", as: Submit.self)
        else { return nil }
        unsafe retain(queue)
        unsafe self.queue = queue
        unsafe self.release = release
        unsafe self.submit = submit
    }

    deinit {
        unsafe release(queue)
    }

    func deliver(_ work: @escaping @Sendable () -> Void) {
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
