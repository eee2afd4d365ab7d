// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// Watches references on the client's own event loop, with one descriptor and without a thread.
///
/// The descriptor is readable when there is something to do, and ``process()`` does it: it reads the kernel's notifications,
/// evaluates the affected targets again, continues to resolve names, and calls the handlers.
///
/// ```swift
/// let watcher = try ReachabilityWatcher()
/// try watcher.add(ReachabilityRef(hostname: "db.example")) { flags in print(flags) }
/// var request = pollfd(fd: watcher.fileDescriptor, events: Int16(POLLIN), revents: 0)
/// while poll(&request, 1, -1) > 0 { try watcher.process() }
/// ```
///
/// - A watcher belongs to one thread at a time. It may move to another thread between calls.
/// - Poll the descriptor for input, and do nothing else with it: do not read it, close it, or change its flags. It stays the same
///   for the life of the watcher. Between changes it is not readable, so a loop that waits for it sleeps.
/// - Handlers run only inside ``process()``. A handler may add and remove references, and may ``close()`` the watcher. Calling
///   ``process()`` from a handler does nothing.
/// - If ``process()`` is called late, nothing is lost: each handler is called once, with the newest flags.
/// - In the child of a fork, the parent's watcher makes no calls; it continues in the parent. The child makes its own.
/// - Once a watcher has failed, each call of ``process()`` throws the reason, and the descriptor is no longer readable.
public final class ReachabilityWatcher {
    /// Identifies something that was added to a watcher.
    public struct Token: Hashable, Sendable {
        package let number: UInt64

        package init(number: UInt64) {
            self.number = number
        }
    }

    private let loop: EventLoop
    private let epoch = ForkEpoch()
    /// The engine of each network namespace in which something is watched, and how many listeners it has.
    private var engines: [(engine: Engine, listenerCount: Int)]
    /// Sorted by number. Removed listeners leave gaps, which are closed when they are the majority: closing each at once would
    /// move all listeners after it.
    private var listeners: [(number: UInt64, listener: Listener?)]
    private var gapCount = 0
    /// How many listeners have been moved to close gaps. For tests.
    private(set) var movedCount = 0
    private let due: DueCalls
    private var lastNumber: UInt64 = 0
    private var activity = Activity.none
    /// The last property, because stored properties are released in the order of their declaration.
    private let released: EndOfRelease

    /// Something that was added.
    private struct Listener {
        let namespace: NamespaceContext
        /// Ends the calls. The engine is nil if it ends, too.
        let end: (Engine?) -> Void
    }

    private enum Activity {
        case none
        case processing
        /// Nothing follows.
        case closed
    }

    /// Makes a watcher that watches nothing yet.
    ///
    /// - Throws: ``ReachabilityError`` if descriptors or memory are exhausted.
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
        for (engine, _) in engines { ForkEpoch.abandon(engine) }
        ForkEpoch.abandon(listeners as AnyObject)
    }

    /// The descriptor to poll for input.
    public var fileDescriptor: Int32 { loop.rawDescriptor }

    /// Why the watcher no longer works; nil while it works. A watcher fails if the program closes its descriptors (closefrom(3))
    /// or forbids itself epoll_wait(2) or epoll_ctl(2). It also fails if the program gives up a privilege that it needs to
    /// resolve a watched name again: CAP_SYS_ADMIN for another network namespace, or the one for a mark (SO_MARK in socket(7)).
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

    /// Calls `handler` with the present flags of a reference, for a name as soon as it is resolved, and then with each change.
    /// All calls, including the first, are made inside ``process()``; the descriptor is readable when one is due.
    ///
    /// A reference may be added more than once, and to several watchers. The watcher keeps it alive until it is removed. There
    /// are no calls while the kernel refuses to answer about the target; ``ReachabilityRef/getFlags()`` throws the reason.
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

    /// Calls `handler` with the result of `value` for each state of a reference, if it differs from the previous result.
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
                // The contents of the configuration files stay known.
                return { engine in withExtendedLifetime(files) { engine?.removeFromPath(observer) } }
            }
        }
    }

    /// Calls `handler` with the newest of the values that are noted.
    ///
    /// - Parameter start: begins to note values, or the reason why there will be none, on the watcher's thread. Returns a
    ///   function that ends this.
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

    /// Ends the calls of what was added under `token`. Returns false if it was removed before.
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
            let (engine, isLast) = removeListener(in: listener.namespace)
            // This releases the client's handler, and what that holds may call other methods of this watcher.
            listener.end(engine)
            if isLast { engine?.stop() }
            return true
        }
    }

    /// Does all work that is due, and calls the handlers on the calling thread. Does not block, except on the kernel while it is
    /// making a change.
    ///
    /// - Throws: ``ReachabilityError``, at each call, if the watcher no longer works: it belongs to the parent of a fork, or it
    ///   has failed (see ``failure``). No handler is called any more then, and the descriptor is not readable.
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
            // Runs the work that the engine puts off until clients have been notified.
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

    /// Evaluates everything again that is watched, in the next call of ``process()``; the descriptor is readable until then.
    ///
    /// Call this if your program learns of a change by other means. Where the kernel announces all changes, a call is unnecessary
    /// and harmless.
    public func recheck() {
        undisturbed {
            guard epoch.isCurrent else { return }
            for (engine, _) in engines { engine.recheck() }
        }
    }

    /// Ends the watcher: no handler is called any more. The descriptor is closed when the watcher is released.
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
        for (engine, _) in engines { engine.stop() }
        engines = []
        loop.stop()
        loop.turn()
    }

    /// Returns the engine of a namespace, and counts one more listener for it.
    private func engine(for namespace: NamespaceContext) throws(ReachabilityError) -> Engine {
        if let place = placeOfEngine(for: namespace) {
            engines[place].listenerCount += 1
            return engines[place].engine
        }
        let loop = loop
        let engine = try Engine(namespace: namespace, loop: loop)
        engines.append((engine, 1))
        return engine
    }

    /// Counts one listener less for the engine of a namespace. After the last one, the caller stops the engine, which closes
    /// everything that is open for the namespace.
    private func removeListener(in namespace: NamespaceContext) -> (engine: Engine?, isLast: Bool) {
        guard let place = placeOfEngine(for: namespace) else { return (nil, false) }
        engines[place].listenerCount -= 1
        let isLast = engines[place].listenerCount == 0
        return (isLast ? engines.remove(at: place).engine : engines[place].engine, isLast)
    }

    private func placeOfEngine(for namespace: NamespaceContext) -> Int? {
        engines.firstIndex { $0.engine.core.namespace === namespace }
    }
}

/// The calls of handlers that are due when the loop's pass ends, in the order in which they became due. Confined to the thread
/// that the watcher belongs to.
private final class DueCalls: CallbackRunner, @unchecked Sendable {
    private var waiting: [@Sendable () -> Void] = []
    /// Why a handler can get no further calls.
    private(set) var failure: ReachabilityError?

    func deliver(_ work: @escaping @Sendable () -> Void) { waiting.append(work) }

    func takeAll() -> [@Sendable () -> Void] {
        defer { waiting = [] }
        return waiting
    }

    func fail(_ error: ReachabilityError) { failure = failure ?? error }
}
