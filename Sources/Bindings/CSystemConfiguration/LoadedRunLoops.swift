// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityReferences
import SystemConfigurationCore

/// The run loops of the CoreFoundation that the program has loaded.
@safe
struct LoadedRunLoops: RunLoopSystem, @unchecked Sendable {
    private typealias Object = UnsafeMutableRawPointer
    private typealias SourceFunction = @convention(c) (Object) -> Void
    private typealias InfoFunction = @convention(c) (Object?) -> Void
    private typealias LoopFunction = @convention(c) (Object?, Object?, Object?) -> Void
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
    static var shared: LoadedRunLoops? { try? LoadedRunLoops() }

    private init() throws(NotLoaded) {
        foundation = try LoadedFoundation()
        unsafe create = try lookUp("CFRunLoopSourceCreate")
        unsafe sourceInvalidate = try lookUp("CFRunLoopSourceInvalidate")
        unsafe sourceSignal = try lookUp("CFRunLoopSourceSignal")
        unsafe addSource = try lookUp("CFRunLoopAddSource")
        unsafe removeSource = try lookUp("CFRunLoopRemoveSource")
        unsafe wakeUp = try lookUp("CFRunLoopWakeUp")
        unsafe loopIsWaiting = try lookUp("CFRunLoopIsWaiting")
        unsafe copyCurrentMode = try lookUp("CFRunLoopCopyCurrentMode")
        unsafe containsSource = try lookUp("CFRunLoopContainsSource")
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
            let release: InfoFunction = { unsafe RunLoopSourceHandlers.release($0) }
            let added: LoopFunction = { unsafe RunLoopSourceHandlers.of($0).added(LoadedRunLoops.held($1, $2)) }
            let removed: LoopFunction = { unsafe RunLoopSourceHandlers.of($0).removed(LoadedRunLoops.held($1, $2)) }
            let perform: InfoFunction = { unsafe RunLoopSourceHandlers.of($0).perform() }
            unsafe words[1] = UInt(bitPattern: handlers.retainedInfo())
            unsafe words[3] = unsafeBitCast(release, to: UInt.self)
            unsafe words[7] = unsafeBitCast(added, to: UInt.self)
            unsafe words[8] = unsafeBitCast(removed, to: UInt.self)
            unsafe words[9] = unsafeBitCast(perform, to: UInt.self)
            return unsafe create(nil, order, words.baseAddress!).map { unsafe foundation.adopt($0) }
        }
    }

    /// Keeps the loop and the mode that CoreFoundation passes to a source. So CoreFoundation is loaded when this is called.
    private static func held(_ loop: Object?, _ mode: Object?) -> LoopAndMode {
        let foundation = LoadedFoundation.shared!
        return unsafe LoopAndMode(loop: foundation.hold(loop!), mode: foundation.hold(mode!))
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
        guard unsafe loopIsWaiting(loop.pointer), let copied = unsafe copyCurrentMode(loop.pointer) else {
            return false
        }
        let mode = unsafe foundation.adopt(copied)
        return withExtendedLifetime(mode) { unsafe containsSource(loop.pointer, source.pointer, mode.pointer) }
    }

    func isEqual(_ left: CoreObject, _ right: CoreObject) -> Bool {
        foundation.isEqual(left, right)
    }
}

// This library is given objects of a C program: queues, run loops, strings. These belong to the libdispatch and the
// CoreFoundation that the program has loaded, and only the functions of the same copy may use them. So the functions are
// looked up in the program at run time. This library's own copies, part of the static Swift runtime when it is installed, are
// not visible to the program.

/// Looks up a function of the libraries that the program has loaded. Nil if there is none of this name.
func loaded<Function>(_ name: String, as type: Function.Type) -> Function? {
    unsafe dlsym(nil, name).map { unsafe unsafeBitCast($0, to: type) }
}

/// The same, but throws if there is no such function.
func lookUp<Function>(_ name: String) throws(NotLoaded) -> Function {
    guard let function = loaded(name, as: Function.self) else { throw NotLoaded() }
    return function
}

/// The program has not loaded the library that has a function.
struct NotLoaded: Error {}

/// A queue of the libdispatch that the program has loaded. Any thread may use it (dispatch_queue_create(3)).
@safe
final class LoadedQueue: CallbackRunner, @unchecked Sendable {
    private typealias Hold = @convention(c) (UnsafeMutableRawPointer) -> Void
    private typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private typealias Submit = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer?, Function) -> Void

    private let queue: UnsafeMutableRawPointer
    private let submit: Submit
    private let release: Hold

    init(_ queue: UnsafeMutableRawPointer) throws(NotLoaded) {
        let retain: Hold = try unsafe lookUp("dispatch_retain")
        unsafe submit = try lookUp("dispatch_async_f")
        unsafe release = try lookUp("dispatch_release")
        unsafe self.queue = queue
        unsafe retain(queue)
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
