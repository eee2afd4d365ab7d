// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CReachabilityLinux

/// A POSIX thread. Each must be joined or detached once.
package struct Thread: Sendable {
    private let handle: pthread_t

    /// Starts a thread with all signals blocked, so that the program's signal handlers never run on it.
    package static func start(
        name: String, stackBytes: Int, _ body: @escaping @Sendable () -> Void
    ) throws(Errno) -> Thread {
        try FaultInjection.check(.threadCreate)
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)

        let start = unsafe Unmanaged.passRetained(StartRecord(name: name, body: body))
        var everySignal = sigset_t()
        var previous = sigset_t()
        unsafe sigfillset(&everySignal)
        unsafe pthread_sigmask(SIG_SETMASK, &everySignal, &previous)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }

        var handle = pthread_t()
        let status = unsafe pthread_create(
            &handle, &attributes,
            { argument in
                let record = unsafe Unmanaged<StartRecord>.fromOpaque(argument!)
                unsafe record.takeUnretainedValue().run()
                // A fork waits while what the thread alone has held is released.
                withoutCancellation { unsafe record.release() }
                return nil
            }, start.toOpaque())
        guard status == 0 else {
            unsafe start.release()
            throw Errno(rawValue: status)
        }
        return Thread(handle: handle)
    }

    /// Waits for the end of the thread. The calling thread does not end in this call: it may hold a lock.
    package func join() {
        withoutCancellation { _ = pthread_join(handle, nil) }
    }

    package func detach() {
        pthread_detach(handle)
    }

    /// Lets another thread run (sched_yield(2)).
    package static func yield() { sched_yield() }

    /// Identifies the calling thread among the threads that exist.
    package static var currentNumber: UInt { UInt(pthread_self()) }
}

private final class StartRecord: Sendable {
    private let name: String
    private let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        beginWork()
        // The kernel keeps 15 bytes of a name (pthread_setname_np(3)).
        _ = unsafe clinux_name_thread(String(name.utf8.prefix(15)) ?? "")
        endWork()
        body()
    }
}

/// Runs `body` with cancellation of the calling thread disabled (pthread_setcancelstate(3)). A request to cancel the thread
/// stays pending until the thread's next cancellation point outside. A fork on another thread waits until `body` has ended or
/// waits itself, 250 ms at most, so that the child finds no lock held (`forks.c`).
///
/// Almost every system call is a cancellation point, whether it waits or not (pthreads(7)). A thread that ends in one
/// releases no lock and returns nothing that it has borrowed, because Swift functions have no cleanup handlers. Other
/// threads may wait for these. So every entry that a client's thread may take into code that holds something disables
/// cancellation once, around the whole operation. Threads of this package are never cancelled.
///
/// Each question goes through here. Public, so that it is compiled into its callers (see `Lock`).
@inlinable @inline(__always)
public func withoutCancellation<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    beginWork()
    defer { endWork() }
    return try disablingCancellation(body)
}

/// The same, but the thread does not count as at work: a fork does not wait for `body`, which holds only what no child uses. All
/// threads at work write to one counter, and that is much of what a repeated question costs.
@inlinable @inline(__always)
public func disablingCancellation<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
) throws(Failure) -> Value {
    let previous = disableCancellation()
    defer { restoreCancellation(previous) }
    return try body()
}

/// Returns the former state.
@usableFromInline package func disableCancellation() -> Int32 {
    var previous: Int32 = 0
    unsafe pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &previous)
    return previous
}

@usableFromInline package func restoreCancellation(_ state: Int32) {
    pthread_setcancelstate(state, nil)
}

@usableFromInline package func beginWork() { clinux_begin_work() }

@usableFromInline package func endWork() {
    assert(clinux_is_at_work(), "endWork() without beginWork()")
    clinux_end_work()
}

/// Lets the release of an object count as work: its deinitializer calls `begin`, and its last stored property is of this type. The
/// stored properties are released after the deinitializer has returned, and for that, too, Swift's runtime makes metadata. An
/// initializer that may throw sets it last: if it throws, what it has set is released, and the deinitializer does not run.
package struct EndOfRelease: ~Copyable, Sendable {
    package init() {}

    deinit { endWork() }

    package static func begin() { beginWork() }
}

/// Runs `body`, which waits for something outside this process, or is the client's code, and holds nothing. No fork waits for it.
package func notAtWork<Value>(_ body: () -> Value) -> Value {
    let before = clinux_pause_work()
    defer { clinux_resume_work(before) }
    return body()
}
