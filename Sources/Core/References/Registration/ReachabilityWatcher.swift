// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// Watches references on the client's own event loop, with one descriptor and without a thread.
///
/// The descriptor is readable when there is something to do, and ``process()`` does it: it reads what the kernel has
/// announced, looks the affected targets up, goes on resolving names, and calls the handlers.
///
/// ```swift
/// let watcher = try ReachabilityWatcher()
/// try watcher.add(ReachabilityRef(hostname: "db.example")) { flags in print(flags) }
/// var request = pollfd(fd: watcher.fileDescriptor, events: Int16(POLLIN), revents: 0)
/// while poll(&request, 1, -1) > 0 { try watcher.process() }
/// ```
///
/// - A watcher belongs to one thread at a time. It may move to another thread between calls.
/// - Poll the descriptor for input and nothing else: do not read it, close it, or change its flags. It stays the same until
///   the end of the watcher. Between changes it is not readable, so that a loop that waits for it sleeps.
/// - No handler runs outside ``process()``. A handler may add and remove references, and may ``close()`` the watcher. A call
///   of ``process()`` from a handler does nothing.
/// - If ``process()`` is called late, nothing is lost: each handler is told the newest flags, once.
/// - In the child of a fork the parent's watcher calls nobody, and the parent's goes on. The child makes its own.
/// - A watcher that no longer works says so at each call of ``process()``, and its descriptor is not readable any more.
public final class ReachabilityWatcher {
    /// Identifies what was added.
    public struct Token: Hashable, Sendable {
        package let number: UInt64

        package init(number: UInt64) {
            self.number = number
        }
    }

    private let loop: EventLoop
    private let epoch = ForkEpoch()
    private var engines: [Engine]
    /// In the order of their numbers. Those that were removed leave gaps, until there are more gaps than others: to close each at
    /// once would move all that come after it.
    private var listeners: [(number: UInt64, listener: Listener?)]
    private var gapCount = 0
    /// How often closing gaps has moved a listener. Tests read it.
    private(set) var movedCount = 0
    private let due: DueCalls
    private var lastNumber: UInt64 = 0
    private var activity = Activity.none
    /// The last, because stored properties are released in this order.
    private let released: EndOfRelease

    /// Something that was added.
    private struct Listener {
        let namespace: NamespaceContext
        /// Ends it. The engine is nil if it ends too.
        let end: (Engine?) -> Void
    }

    private enum Activity {
        case none
        case processing
        /// Nothing follows.
        case closed
    }

    /// Makes a watcher without references.
    ///
    /// - Throws: ``ReachabilityError`` if descriptors or memory are lacking.
    public init() throws(ReachabilityError) {
        beginWork()
        defer { endWork() }
        (engines, listeners, due) = ([], [], DueCalls())
        do throws(Errno) {
            loop = try EventLoop()
        } catch {
            throw .kernel("make a watcher", "", error)
        }
        released = EndOfRelease()
    }

    deinit {
        EndOfRelease.begin()
        close()
        guard !epoch.isCurrent else { return }
        ForkEpoch.abandon(loop)
        for engine in engines { ForkEpoch.abandon(engine) }
        ForkEpoch.abandon(listeners as AnyObject)
    }

    /// The descriptor to poll for input.
    public var fileDescriptor: Int32 { loop.rawDescriptor }

    /// Why nothing is watched any more; nil as long as all is well. A program that closes descriptors which it does not own
    /// (closefrom(3)), or that forbids itself epoll_wait(2) or epoll_ctl(2), ends its watchers so. So does one that gives up a
    /// privilege without which a name is not resolved again: CAP_SYS_ADMIN, in another network namespace, or that for its mark.
    public var failure: ReachabilityError? {
        undisturbed {
            guard let error = loop.failure else { return due.failure }
            return ReachabilityError(
                .kernelUnavailable, "watch", "",
                "the watcher has failed, because the kernel refuses to wait for it: \(error)", errno: error.rawValue)
        }
    }

    private static let ofParent = ReachabilityError(
        .unsupported, "watch", "",
        "the watcher is that of the parent: it was made before this process was forked; make another one here")

    /// Calls `handler` with the present flags of a reference, for a name as soon as it is resolved, and then with each
    /// change. The first call, too, is made by ``process()``; the descriptor is readable when it is due.
    ///
    /// A reference may be added more than once, and to several watchers. The watcher keeps it until it is removed. There is no call
    /// while the kernel refuses to answer about the target: ``ReachabilityRef/getFlags()`` throws why.
    ///
    /// - Throws: ``ReachabilityError`` if the kernel's changes cannot be watched.
    @discardableResult
    public func add(
        _ reference: ReachabilityRef, _ handler: @escaping (ReachabilityFlags) -> Void
    ) throws(ReachabilityError) -> Token {
        try undisturbed { () throws(ReachabilityError) -> Token in
            try add(reference, everyEvaluation: false, { (found: Observation) in handler(found.flags) }) {
                state, _ in
                state.observation
            }
        }
    }

    /// Calls `handler` with what `value` makes of each state of a reference, if it differs from the value before.
    package func add<Value: Equatable & Sendable>(
        _ reference: ReachabilityRef, everyEvaluation: Bool, _ handler: @escaping (Value) -> Void,
        _ value: @escaping @Sendable (ObservedState, EngineCore) -> Value?
    ) throws(ReachabilityError) -> Token {
        try reference.checkKeys()
        let (subject, keys) = (reference.subject, reference.keysOfWatch)
        return try add(in: reference.namespace, handler) { engine, note, failed in
            let observer = Observer(everyEvaluation: everyEvaluation, failed: failed) { watch, causes in
                if !watch.isRefused, let value = value(ObservedState(watch, because: causes), engine.core) {
                    note(value)
                }
            }
            engine.add(observer, to: subject, keys)
            return { engine in
                observer.end()
                engine?.remove(observer, from: subject, keys)
            }
        }
    }

    /// Calls `handler` with the present path of a namespace, and then with each change.
    @discardableResult
    package func add(
        _ source: PathSource, _ handler: @escaping (NetworkPath) -> Void
    ) throws(ReachabilityError) -> Token {
        try undisturbed { () throws(ReachabilityError) -> Token in
            let files = source.namespace.configurationFiles
            return try add(in: source.namespace, handler) { engine, note, failed in
                let observer = Observer(ofPath: { if $0.refusal == nil { note($0.path) } }, failed: failed)
                engine.addToPath(observer)
                // What the configuration files say stays known.
                return { engine in withExtendedLifetime(files) { engine?.removeFromPath(observer) } }
            }
        }
    }

    /// Calls `handler` with the newest of the values that are noted.
    ///
    /// - Parameter start: begins to note values, or why there will be none, on the watcher's thread. Returns what ends it.
    package func add<Value: Equatable & Sendable>(
        in namespace: NamespaceContext, _ handler: @escaping (Value) -> Void,
        start: (
            _ engine: Engine, _ note: @escaping @Sendable (Value) -> Void,
            _ failed: @escaping @Sendable (ReachabilityError) -> Void
        ) -> (Engine?) -> Void
    ) throws(ReachabilityError) -> Token {
        guard epoch.isCurrent else {
            throw Self.ofParent
        }
        guard activity != .closed else {
            throw ReachabilityError(.scheduling, "watch", "", "the watcher is closed")
        }
        if let failure { throw failure }
        let (engine, client, sent) = (try engine(for: namespace), ClientHandler<Value>(), SentToLoop(handler))
        client.setHandler { sent.value($0) }
        client.begin(at: .target(due))
        let stop = start(engine, { client.note($0) }, { [due] in due.fail($0) })
        lastNumber += 1
        listeners.append(
            (
                lastNumber,
                Listener(namespace: namespace) { engine in
                    stop(engine)
                    client.end()
                }
            ))
        return Token(number: lastNumber)
    }

    /// Ends the calls for what was added. Returns false if that was removed before.
    @discardableResult
    public func remove(_ token: Token) -> Bool {
        undisturbed {
            let position = listeners.partitionPoint { $0.number >= token.number }
            guard epoch.isCurrent, position < listeners.count, listeners[position].number == token.number,
                let listener = listeners[position].listener.take()
            else { return false }
            gapCount += 1
            if 2 * gapCount > listeners.count {
                listeners.removeAll { $0.listener == nil }
                (gapCount, movedCount) = (0, movedCount + listeners.count)
            }
            listener.end(startedEngine(for: listener.namespace))
            return true
        }
    }

    /// Does all that is due, and calls the handlers on the calling thread. Returns without waiting, but for the kernel while it is
    /// making a change.
    ///
    /// - Throws: ``ReachabilityError`` if the watcher no longer works, again at each call: it is that of the parent of a fork, or
    ///   it has failed (see ``failure``). No handler is called any more, and the descriptor is not readable.
    public func process() throws(ReachabilityError) {
        try undisturbed { () throws(ReachabilityError) in
            guard activity == .none else { return }
            guard epoch.isCurrent else {
                loop.leave()
                throw Self.ofParent
            }
            if let failure { throw failure }
            activity = .processing
            defer { if activity == .processing { activity = .none } }
            loop.handleReady()
            callBack()
            guard activity == .processing else { return }
            // What the engine puts off until clients were told.
            loop.turn()
            callBack()
            if due.failure != nil, activity == .processing { stopEverything() }
            if let failure { throw failure }
        }
    }

    private func callBack() {
        while case let calls = due.takeAll(), !calls.isEmpty {
            for call in calls { call() }
        }
    }

    /// Looks at everything again that is watched, in the next call of ``process()``; the descriptor is readable until then.
    ///
    /// A program that learns of a change from elsewhere calls this. It does no harm where the kernel announces all changes.
    public func recheck() {
        undisturbed {
            guard epoch.isCurrent else { return }
            for engine in engines { engine.recheck() }
        }
    }

    /// Ends the watcher. No handler is called any more. The descriptor is closed when the watcher is released.
    public func close() {
        undisturbed {
            guard epoch.isCurrent, activity != .closed else { return }
            activity = .closed
            stopEverything()
        }
    }

    private func stopEverything() {
        for (_, listener) in listeners { listener?.end(nil) }
        listeners = []
        for engine in engines { engine.stop() }
        engines = []
        loop.stop()
        loop.turn()
    }

    private func engine(for namespace: NamespaceContext) throws(ReachabilityError) -> Engine {
        if let engine = startedEngine(for: namespace) { return engine }
        let loop = loop
        let engine = try Engine(namespace: namespace, loop: loop)
        engines.append(engine)
        return engine
    }

    private func startedEngine(for namespace: NamespaceContext) -> Engine? {
        engines.first { $0.core.namespace === namespace }
    }
}

/// The calls of handlers that are due at the end of the present turn, in the order in which they became so. Confined to the thread that
/// the watcher belongs to.
private final class DueCalls: CallbackRunner, @unchecked Sendable {
    private var waiting: [@Sendable () -> Void] = []
    /// Why one of them can hear nothing any more.
    private(set) var failure: ReachabilityError?

    func deliver(_ work: @escaping @Sendable () -> Void) { waiting.append(work) }

    func takeAll() -> [@Sendable () -> Void] {
        defer { waiting = [] }
        return waiting
    }

    func fail(_ error: ReachabilityError) { failure = failure ?? error }
}
