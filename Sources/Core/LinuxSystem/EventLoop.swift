// SPDX-License-Identifier: Apache-2.0

import Synchronization

@_implementationOnly import CReachabilityLinux

/// Waits in epoll_wait(2) for descriptors, timers and work from other threads, either on its own thread or whenever its owner
/// calls `turn`.
///
/// All handlers run on one thread at a time, so state that only they use needs no lock. Other threads may call `enqueue`, `stop`
/// and `isCurrent`. The other functions check that they are called on the thread that runs the handlers. In the child of a fork,
/// `enqueue` and `stop` do nothing.
package final class EventLoop: Sendable {
    package typealias Handler = (Epoll.Interest) -> Void

    /// False if the loop only runs inside `turn`. No other thread can then rely on its progress.
    package let hasThread: Bool
    private let epoll: Epoll
    /// Always readable, but reported only from a signal until the loop has woken up. So nothing is ever written to it or read
    /// from it at a time when the program may have its own file under the number (closefrom(3)).
    private let wake: EventDescriptor
    private let timer: TimerDescriptor
    private let time: any TimeSource
    private let epoch = ForkEpoch()
    private let inbox = Lock(Inbox())
    private let confined = Confined()

    private struct Inbox {
        var work: [@Sendable () -> Void] = []
        var isSignalled = false
        var isStopping = false
        var failure: Errno?
    }

    /// A descriptor's handler, under its token.
    ///
    /// Each registration has its own token, because a descriptor's number may be reused between an event and its handling. One
    /// wait returns several events. A handler may close a descriptor whose event comes later in the list, and open another,
    /// which gets the same number (open(2)); the new one must not receive the old one's event. Dropping an event whose
    /// registration is gone loses nothing: epoll reports a condition again as long as it holds (level-triggered, epoll(7)).
    private struct Input {
        let token: UInt64
        let handler: Handler

        /// The number of the registration, and the descriptor, by which it is found. The loop's own tokens are the largest numbers,
        /// which are never reached.
        static func token(_ number: UInt32, _ descriptor: Int32) -> UInt64 {
            UInt64(number) << 32 | UInt64(UInt32(bitPattern: descriptor))
        }

        static func descriptor(of token: UInt64) -> Int32 { Int32(bitPattern: UInt32(truncatingIfNeeded: token)) }
    }

    /// The state that only the loop's thread uses.
    private final class Confined: @unchecked Sendable {
        /// Indexed by descriptor, because descriptors are small numbers. The first dictionary with a new type of key takes longer
        /// to make than opening the sockets: the runtime searches all conformances.
        var inputs: [Input?] = []
        /// The number of the next registration.
        var nextNumber: UInt32 = 0
        var timers = TimerQueue()
        var armed: BootTime?
        /// Whether the child of a fork has given up the descriptor.
        var isLeft = false
        /// Called when the loop ends, the last one first.
        var endHandlers: [(number: Int, handler: (Errno?) -> Void)] = []
        var nextEndHandler = 0
        /// The thread that runs the handlers; 0 while it waits.
        let thread = Atomic<UInt>(0)

        func input(of descriptor: Int32) -> Input? {
            inputs.indices.contains(Int(descriptor)) ? inputs[Int(descriptor)] : nil
        }
    }

    private static let stackBytes = 512 << 10
    private static let wakeToken = UInt64.max
    private static let timerToken = UInt64.max - 1

    /// Starts a thread, which retains this object until `stop`.
    package convenience init(name: String, time: any TimeSource = SystemTime()) throws(Errno) {
        try self.init(hasThread: true, time: time)
        try Thread.start(name: name, stackBytes: Self.stackBytes) { self.run() }.detach()
    }

    /// Makes a loop without a thread. Its owner calls `turn` when `rawDescriptor` is readable.
    package convenience init(time: any TimeSource = SystemTime()) throws(Errno) {
        try self.init(hasThread: false, time: time)
    }

    private init(hasThread: Bool, time: any TimeSource) throws(Errno) {
        let epoll = try Epoll()
        let wake = try EventDescriptor(isReadable: true)
        let timer = try TimerDescriptor()
        try epoll.add(wake.rawDescriptor, [], token: Self.wakeToken)
        try epoll.add(timer.rawDescriptor, .readable, token: Self.timerToken)
        self.epoll = epoll
        self.wake = wake
        self.timer = timer
        self.time = time
        self.hasThread = hasThread
    }

    // MARK: From any thread

    /// Runs `work` on the loop's thread, after all work that was enqueued before. A loop that was stopped or has failed does not
    /// accept it.
    ///
    /// - Returns: whether the loop has accepted it.
    @discardableResult
    package func enqueue(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard epoch.isCurrent else { return false }
        let (isTaken, mustSignal) = inbox.withLock { inbox in
            guard !inbox.isStopping else { return (false, false) }
            inbox.work.append(work)
            // The loop's own thread reads the inbox before it waits again.
            guard !isCurrent else { return (true, false) }
            defer { inbox.isSignalled = true }
            return (true, !inbox.isSignalled)
        }
        if mustSignal { signal() }
        return isTaken
    }

    /// Ends the loop after the work that was enqueued before. Handlers and timers are released on its thread, or by the next
    /// `turn`.
    package func stop() {
        guard epoch.isCurrent else { return }
        let mustSignal = inbox.withLock { inbox in
            inbox.isStopping = true
            defer { inbox.isSignalled = true }
            return !inbox.isSignalled
        }
        if mustSignal { signal() }
    }

    /// If the loop cannot be woken, because the program has closed its descriptors or a system call filter refuses it, the loop
    /// has failed.
    private func signal() {
        do throws(Errno) {
            try epoll.modify(wake.rawDescriptor, .readable, token: Self.wakeToken)
        } catch {
            guard hasThread else { return timer.arm(at: BootTime(nanoseconds: 0)) }
            fail(error)
            // The thread may sleep for ever. If it does, the new one ends the loop.
            try? Thread.start(name: "reachability", stackBytes: Self.stackBytes) { self.run() }.detach()
        }
    }

    /// Why the loop has ended without `stop`: it cannot wait any more. Either the program has closed a descriptor that it does
    /// not own (closefrom(3)), or a system call filter refuses epoll_wait(2), or epoll_ctl(2), without which it would never
    /// sleep.
    package var failure: Errno? { inbox.withLock(\.failure) }

    /// Whether there is enqueued work that has not begun.
    package var hasEnqueuedWork: Bool { epoch.isCurrent && inbox.withLock { !$0.work.isEmpty } }

    /// Whether the caller is on the loop's thread.
    package var isCurrent: Bool {
        confined.thread.load(ordering: .relaxed) == Thread.currentNumber
    }

    // MARK: On the loop's thread

    package func now() -> BootTime { time.now() }

    /// The processor time that the loop's thread has used.
    package func processorTime() -> Duration { time.processorTime() }

    /// Calls `handler` whenever the descriptor is ready. Replaces an earlier registration of the descriptor.
    package func watch(
        _ descriptor: Int32, for interest: Epoll.Interest, _ handler: @escaping Handler
    ) throws(Errno) {
        checkConfinement()
        let token = Input.token(confined.nextNumber, descriptor)
        if confined.input(of: descriptor) != nil {
            try epoll.modify(descriptor, interest, token: token)
        } else {
            try epoll.add(descriptor, interest, token: token)
        }
        while confined.inputs.count <= descriptor { confined.inputs.append(nil) }
        confined.inputs[Int(descriptor)] = Input(token: token, handler: handler)
        confined.nextNumber &+= 1
    }

    /// Ends the registration of a descriptor, which must still be open.
    package func unwatch(_ descriptor: Int32) {
        checkConfinement()
        guard let known = confined.input(of: descriptor) else { return }
        confined.inputs[Int(descriptor)] = nil
        try? epoll.remove(descriptor)
        // Released after all changes, because an object that is released with a handler may end another registration.
        withExtendedLifetime(known) {}
    }

    /// Runs `work` once, at `moment` or as soon afterwards as the thread is free.
    @discardableResult
    package func schedule(at moment: BootTime, _ work: @escaping () -> Void) -> LoopTimer {
        checkConfinement()
        return confined.timers.insert(moment, work)
    }

    package func cancel(_ timer: LoopTimer) {
        checkConfinement()
        confined.timers.cancel(timer)
    }

    /// Calls `handler` on the loop's thread when the loop ends, before the registrations are released, with the reason if the
    /// loop has failed. The handler that was added last is called first, because it may use objects that were there before.
    ///
    /// - Parameter isForAll: whether all others may use the object, so that its handler is called after theirs.
    /// - Returns: a token that ends this. It has to be cancelled on the loop's thread.
    @discardableResult
    package func whenEnded(isForAll: Bool = false, _ handler: @escaping (Errno?) -> Void) -> CancellationToken {
        checkConfinement()
        let number = confined.nextEndHandler
        confined.nextEndHandler += 1
        confined.endHandlers.insert((number, handler), at: isForAll ? 0 : confined.endHandlers.count)
        return CancellationToken { [self] in
            checkConfinement()
            confined.endHandlers.removeAll { $0.number == number }
        }
    }

    private func checkConfinement() {
        precondition(isCurrent, "event loop used from another thread")
    }

    // MARK: Running

    /// Readable when `turn` has something to do (an epoll instance can be polled, epoll(7)).
    package var rawDescriptor: Int32 { epoll.rawDescriptor }

    /// Keeps `rawDescriptor` from being readable in the child of a fork, which must not handle the events of the parent's loop.
    package func leave() {
        guard !epoch.isCurrent, !confined.isLeft else { return }
        confined.isLeft = epoll.leave(knownBy: wake.rawDescriptor)
    }

    /// Does all work that is due, on the calling thread. Only for a loop without a thread. Calls must not overlap. After `stop`,
    /// one call ends the loop.
    ///
    /// - Parameters:
    ///   - waiting: whether to wait until something is due. Otherwise, poll `rawDescriptor`.
    ///   - last: called at the end, on the loop's thread.
    package func turn(waiting: Bool = false, last: () -> Void = {}) {
        onThisThread {
            handleEvents(timeoutMilliseconds: waiting ? timeToTimer : 0)
            guard doEnqueuedWork() else { return end() }
            last()
            guard doEnqueuedWork() else { return end() }
            if !waiting { armTimer() }
        }
    }

    /// Runs `work` as if the loop had called it, and then all enqueued work. Only for a loop without a thread, between calls of
    /// `turn`.
    package func perform(_ work: () -> Void) {
        onThisThread {
            work()
            if !doEnqueuedWork() { end() }
        }
    }

    /// The first half of `turn`: handles the events that are ready now. The owner then notifies its clients, and calls `turn` for
    /// enqueued work and the timer.
    package func handleReady() {
        onThisThread { handleEvents(timeoutMilliseconds: 0) }
    }

    private func onThisThread(_ body: () -> Void) {
        precondition(!hasThread, "a loop that has a thread turns by itself")
        confined.thread.store(Thread.currentNumber, ordering: .relaxed)
        defer { confined.thread.store(0, ordering: .relaxed) }
        body()
    }

    private func run() {
        undisturbed {
            while claim() {
                guard doEnqueuedWork() else { return end() }
                armTimer()
                let limit = timeToTimer
                confined.thread.store(0, ordering: .releasing)
                // A failure that occurs after this takes over the loop (`signal`).
                if inbox.withLock({ $0.isStopping }) { continue }
                // Not 0: a fork continues only while the thread waits. If something is due already, it wakes the thread at once.
                handleEvents(timeoutMilliseconds: limit == 0 ? 1 : limit)
            }
        }
    }

    /// Whether the calling thread is the one that runs the handlers. Another one may have taken over while it was waiting.
    private func claim() -> Bool {
        let own = Thread.currentNumber
        let (isClaimed, present) = confined.thread.compareExchange(
            expected: 0, desired: own, ordering: .acquiringAndReleasing)
        return isClaimed || present == own
    }

    /// The longest time to wait, for epoll_wait(2). The timer's descriptor counts a sleep of the machine, too, and may be gone.
    private var timeToTimer: Int32 {
        confined.timers.next.map { $0.duration(since: time.now()).wholeMilliseconds } ?? -1
    }

    private func handleEvents(timeoutMilliseconds: Int32) {
        do throws(Errno) {
            try epoll.wait(timeoutMilliseconds: timeoutMilliseconds) { event in if claim() { dispatch(event) } }
            if claim() { runDueTimers() }
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: Errno) {
        let isFirst = inbox.withLock { inbox in
            defer { inbox.failure = inbox.failure ?? error }
            inbox.isStopping = true
            return inbox.failure == nil
        }
        // The program has closed a descriptor, and may have another file under its number, perhaps that of the next loop. So this
        // loop closes no descriptor any more.
        if isFirst, [.badDescriptor, .noSuchFile, .invalidArgument].contains(error) { ForkEpoch.abandon(self) }
    }

    private func end() {
        while let last = confined.endHandlers.popLast() { last.handler(failure) }
        // Released when the array is empty, because an object that is released with a handler may end another registration.
        let dropped = confined.inputs
        confined.inputs = []
        confined.timers.cancelAll()
        if failure == nil || !hasThread { beQuietForever(dropped) }
        withExtendedLifetime(dropped) {}
    }

    /// Makes sure that `rawDescriptor` is not readable from now on.
    private func beQuietForever(_ dropped: [Input?]) {
        if failure != nil {
            let others = dropped.compactMap { $0.map { Input.descriptor(of: $0.token) } }
            for descriptor in [wake.rawDescriptor, timer.rawDescriptor] + others { try? epoll.remove(descriptor) }
        }
        armTimer()
        try? beQuiet()
    }

    /// Makes the loop sleep until the next signal.
    private func beQuiet() throws(Errno) { try epoll.modify(wake.rawDescriptor, [], token: Self.wakeToken) }

    /// Returns false when the loop has to end.
    private func doEnqueuedWork() -> Bool {
        while true {
            let (work, isStopping) = inbox.withLock { inbox in
                defer {
                    inbox.work = []
                    inbox.isSignalled = false
                }
                return (inbox.work, inbox.isStopping)
            }
            for item in work { item() }
            if work.isEmpty { return !isStopping }
        }
    }

    private func dispatch(_ event: Epoll.Event) {
        switch event.token {
        case Self.wakeToken:
            do throws(Errno) { try beQuiet() } catch { fail(error) }
        case Self.timerToken:
            timer.arm(at: nil)
            confined.armed = nil
        case let token:
            guard let known = confined.input(of: Input.descriptor(of: token)), known.token == token else {
                return
            }
            known.handler(event.interest)
        }
    }

    private func armTimer() {
        let next = confined.timers.next
        guard next != confined.armed else { return }
        timer.arm(at: next)
        confined.armed = next
    }

    private func runDueTimers() {
        // A timer that is set by another timer has to wait for the descriptors that have become ready in the meantime.
        let now = time.now()
        guard let next = confined.timers.next, next <= now else { return }
        confined.armed = nil
        while let work = confined.timers.popDue(at: now) { work() }
    }
}

/// A value that is used on one event loop's thread only, for closures that must be `@Sendable`.
///
/// The compiler does not check the confinement. A thread may also make a value and pass it to the loop, if it keeps no reference
/// to it.
package struct SentToLoop<Value>: @unchecked Sendable {
    package var value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
