// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityLinuxSystem
import Synchronization

/// A thread that runs closures for other threads, which wait until each has ended.
final class Worker: Sendable {
    private struct Inbox {
        var work: [Job] = []
        var isEnding = false
    }

    private let inbox = Mutex(Inbox())
    private let arrival = DispatchSemaphore(value: 0)
    /// The thread's own number, once it runs.
    private let number = Atomic<UInt>(0)

    /// The thread keeps this object alive until `end`.
    init(name: String) throws(Errno) {
        // The stack size of a main thread. Untouched pages cost nothing.
        try Thread.start(name: name, stackBytes: 8 << 20) { self.serve() }.detach()
    }

    func end() {
        inbox.withLock { $0.isEnding = true }
        arrival.signal()
    }

    /// Runs `body` on the thread and waits for it. On the thread itself, runs it at once.
    func run<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        if number.load(ordering: .relaxed) == Thread.currentNumber { return try body() }
        var outcome: Result<Value, Failure>?
        withoutActuallyEscaping({ outcome = Result(catching: body) }) { body in
            let job = Job(body)
            inbox.withLock { $0.work.append(job) }
            arrival.signal()
            job.wait()
        }
        guard let outcome else { preconditionFailure("a closure was dropped") }
        return try outcome.get()
    }

    private func serve() {
        number.store(Thread.currentNumber, ordering: .relaxed)
        while true {
            arrival.wait()
            let job: Job? = inbox.withLock { inbox in
                inbox.work.isEmpty ? nil : inbox.work.removeFirst()
            }
            guard let job else { return }
            job.perform()
        }
    }
}

/// A closure for another thread. The sender sleeps until the closure has run, so the two threads never use its captures at the
/// same time, and the closure does not outlive the call to which it was passed.
private final class Job: @unchecked Sendable {
    private var body: (() -> Void)?
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    func perform() {
        body?()
        body = nil
        done.signal()
    }

    func wait() {
        done.wait()
    }
}
