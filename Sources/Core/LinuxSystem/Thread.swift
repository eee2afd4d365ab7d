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
                undisturbed { unsafe record.release() }
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
        _ = pthread_join(handle, nil)
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
        // The kernel keeps 15 bytes of a name (pthread_setname_np(3)).
        _ = unsafe clinux_name_thread(String(name.utf8.prefix(15)) ?? "")
        body()
    }
}
