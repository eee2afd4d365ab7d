// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import Synchronization

/// Watches targets of one network namespace on an event loop, with one socket for the kernel's announcements.
///
/// It may be called from any thread. ``EngineCore`` does the work, on the loop's thread.
package final class Engine: Sendable {
    package let loop: EventLoop
    package let core: EngineCore
    /// Requests to add and remove subscribers, in order and in batches. One loop item for each of very many requests would leave
    /// as many holes in memory, and a single array of all of them would leave one large hole.
    private let requests = Lock<[[Request]]>([])
    private static let requestsPerBatch = 512

    private struct Request: Sendable {
        let subscriber: any Subscriber
        let target: Target
        // Stands here because the padding has room for it.
        let isAddition: Bool
        let keys: RoutingKeys
    }

    /// Opens the socket for announcements, if the kernel allows one.
    package init(namespace: NamespaceContext, loop: EventLoop) throws(ReachabilityError) {
        let kernel = try namespace.kernel()
        self.loop = loop
        core = EngineCore(
            loop: loop, namespace: namespace, kernel: kernel, counters: namespace.sharedEngine.counters)
        loop.enqueue { [weak self, core] in
            core.loopEnd = core.loop.whenEnded { if let error = $0 { self?.fail(error) } }
        }
        do throws(NetlinkError) {
            let socket = try namespace.openAnnouncements()
            loop.enqueue { [core] in core.begin(with: socket.value) }
        } catch {
            // Without announcements, everything is evaluated again at an interval (`EngineCore.recheckLater`).
            guard error.isRefusal else { throw ReachabilityError(error) }
        }
    }

    /// Evaluates everything again that is watched, soon and on the loop's thread.
    package func recheck() {
        loop.enqueue { [core, loop] in core.recheck(at: loop.now()) }
    }

    /// Stops watching. Afterwards, the loop must run at least once more.
    package func stop() {
        loop.enqueue { [core] in
            // The loop accepts no further work, so all earlier requests have to be performed now.
            self.performAllRequests()
            core.end()
        }
    }

    /// The loop has failed. Reports this to all subscribers.
    private func fail(_ error: Errno) {
        performAllRequests()
        core.fail(Self.failure(error))
    }

    private static func failure(_ error: Errno) -> ReachabilityError { .kernel("watch", "", error) }

    /// Why nothing is watched any more; nil while the engine works.
    package var failure: ReachabilityError? { loop.failure.map(Self.failure) }

    /// Notifies `subscriber` of the present answer and of each change, until it is removed.
    package func add(_ subscriber: any Subscriber, to target: Target, _ keys: RoutingKeys) {
        enqueue(Request(subscriber: subscriber, target: target, isAddition: true, keys: keys))
    }

    package func remove(_ subscriber: any Subscriber, from target: Target, _ keys: RoutingKeys) {
        enqueue(Request(subscriber: subscriber, target: target, isAddition: false, keys: keys))
    }

    private func enqueue(_ request: Request) {
        let isFirst = requests.withLock { batches in
            let isFirst = batches.isEmpty
            if isFirst || batches[batches.count - 1].count == Self.requestsPerBatch {
                batches.append([])
            }
            batches[batches.count - 1].append(request)
            return isFirst
        }
        if isFirst, !loop.enqueue({ self.performRequests() }), let failure { refuseRequests(failure) }
    }

    /// The loop had failed before it could take the requests.
    private func refuseRequests(_ failure: ReachabilityError) {
        while let (batch, _) = nextBatch() {
            for request in batch where request.isAddition { request.subscriber.end(because: failure) }
        }
    }

    private func performRequests() {
        guard let (batch, areMore) = nextBatch() else { return }
        if areMore { loop.enqueue { self.performRequests() } }
        perform(batch)
    }

    private func performAllRequests() {
        while let (batch, _) = nextBatch() { perform(batch) }
    }

    private func nextBatch() -> (batch: [Request], areMore: Bool)? {
        requests.withLock { batches in
            batches.isEmpty ? nil : (batches.removeFirst(), !batches.isEmpty)
        }
    }

    private func perform(_ batch: [Request]) {
        for request in batch {
            if request.isAddition {
                core.add(request.subscriber, to: request.target, request.keys)
            } else {
                core.remove(request.subscriber, from: request.target, request.keys)
            }
        }
    }
}

/// Counts the users of a namespace's engine. The first user starts the engine, and the last one stops it.
package final class SharedEngine: Sendable {
    private struct Running {
        var engine: Engine?
        var users = 0
    }

    private let running = Lock(Running())
    package let counters = EngineCounters()
    /// The size of the announcement queue that the next engine requests from the kernel.
    package let announcementQueueBytes = Atomic<Int32>(AnnouncementSocket.queueBytes)
    /// The delays of the next engine.
    package let pace = Lock(Pace.ofProcess)
    /// The interval at which the engine evaluates everything again where the kernel does not announce every change.
    package let recheckInterval = Lock(Pace.recheckInterval)
    /// How long the next engine waits for NetworkManager before it reports a path without its hints.
    package let hintLimit = Lock(SharedEngine.hintLimit)
    /// NetworkManager usually answers within a few milliseconds.
    package static let hintLimit: Duration = .milliseconds(250)
    /// How readings of the path find out that the machine has slept.
    package let sleepSource = Lock(SleepSource())
    /// How many sleeps of over a minute this process has seen, including those since the last reading of the path.
    var sleepCount: UInt64 { sleepSource.withLock(\.counter).count }

    /// Returns the engine, which is started if it does not run. The caller calls `release` once.
    package func acquire(for namespace: NamespaceContext) throws(ReachabilityError) -> Engine {
        checkUndisturbed()
        let outcome = running.withLock { running in start(&running, for: namespace) }
        return try outcome.get()
    }

    private func start(_ running: inout Running, for namespace: NamespaceContext) -> Result<Engine, ReachabilityError> {
        let engine = Result { () throws(ReachabilityError) in
            if let present = running.engine, present.loop.failure == nil { return present }
            return try Self.makeEngine(for: namespace)
        }
        if case .success(let engine) = engine {
            running.engine = engine
            running.users += 1
        }
        return engine
    }

    private static func makeEngine(for namespace: NamespaceContext) throws(ReachabilityError) -> Engine {
        let loop: EventLoop
        do throws(Errno) {
            loop = try makeLoop(in: namespace.handle)
        } catch {
            throw .kernel("start the engine", "", error)
        }
        do throws(ReachabilityError) {
            return try Engine(namespace: namespace, loop: loop)
        } catch {
            loop.stop()
            throw error
        }
    }

    /// The loop's thread inherits the namespace from the thread that starts it (clone(2)), so that names can still be resolved
    /// when the privilege to enter the namespace has been given up. If the namespace cannot be entered, the sockets that are open
    /// already are used.
    private static func makeLoop(in namespace: NamespaceHandle?) throws(Errno) -> EventLoop {
        let make: @Sendable () throws(Errno) -> EventLoop = { () throws(Errno) in try EventLoop(name: "reachability") }
        guard let namespace else { return try make() }
        do throws(Errno) {
            return try namespace.run(make)
        } catch {
            guard error.isRefusal else { throw error }
            return try make()
        }
    }

    package func release() {
        let last = running.withLock { running -> Engine? in
            running.users -= 1
            guard running.users == 0 else { return nil }
            defer { running.engine = nil }
            return running.engine
        }
        guard let last else { return }
        last.stop()
        last.loop.stop()
    }

    /// The engine, if it runs.
    package var present: Engine? { running.withLock(\.engine) }

    package var userCount: Int { running.withLock(\.users) }
}

/// Keeps a namespace's engine running for a client that does work of its own on the engine's thread.
package final class EngineAccess: Sendable {
    /// The engine's loop. It runs as long as this object lives.
    package let loop: EventLoop
    private let namespace: NamespaceContext

    package init(_ namespace: NamespaceContext) throws(ReachabilityError) {
        beginWork()
        defer { endWork() }
        loop = try namespace.sharedEngine.acquire(for: namespace).loop
        self.namespace = namespace
    }

    deinit {
        if namespace.isThisProcess {
            namespace.sharedEngine.release()
        } else {
            ForkEpoch.abandon(namespace)
            ForkEpoch.abandon(loop)
        }
    }
}
