// SPDX-License-Identifier: Apache-2.0

public import Dispatch
package import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Tells whether a connection that the program holds is still usable: for connection pools, and for programs that run for days.
///
/// ```swift
/// let fate = try SocketFate(of: descriptor)
/// switch try fate.current().fate {
/// case .viable: break
/// case .unviable(let obstacle): print("its packets cannot leave now: \(obstacle)")
/// case .dead(let end): print("make a new connection: \(end)")
/// }
/// ```
///
/// The descriptor stays the caller's. It is never read, written, duplicated, changed or closed, and the error of the socket is
/// not taken away (SO_ERROR), so any thread may use the socket at the same time. Stop using this object before you close the
/// descriptor.
///
/// The answer is about the socket as it was when this object was made: its addresses, the interface that it is bound to, its
/// mark, its owner and its protocol. The socket must belong to the network namespace of the thread that makes this object.
///
/// Nothing is sent, so this cannot tell whether the peer is still alive. The kernel does not announce the end of a connection: a
/// reset is noticed by ``current()``, and by an observer when the network next changes.
///
/// In the child of a fork, make a new object.
public final class SocketFate: Sendable {
    /// Whether a connection can still be used.
    public enum Fate: Hashable, Sendable {
        /// Its packets can leave, as far as this machine knows.
        case viable
        /// Its packets cannot leave now. They may later be able to; the connection then continues as if nothing had happened.
        case unviable(Obstacle)
        /// It carries nothing any more, and no change of the network can revive it.
        case dead(End)
    }

    /// Why the packets of a connection cannot leave now.
    public enum Obstacle: String, Hashable, Sendable, CaseIterable {
        /// This machine does not have the connection's local address, or must not use it: the address was removed, is still being
        /// checked for duplicates, or was found to be a duplicate.
        case sourceGone
        /// The route's link has no carrier.
        case noCarrier
        /// The route's link is administratively down.
        case linkDown
        /// There is no route from the connection's address to its peer.
        case noRoute
        /// The interface that the socket is bound to no longer exists. An interface created later is a different one, even if it
        /// has the same name.
        case interfaceGone
    }

    /// Why a connection carries nothing any more.
    public enum End: String, Hashable, Sendable, CaseIterable {
        /// The descriptor was closed, or now belongs to another socket.
        case closed
        /// The peer has reset the connection, or the kernel has given it up, and the program has not yet read the error.
        case failed
        /// Both directions have ended, or the connection failed and the program has already read the error.
        case ended
    }

    /// The state of a connection.
    public struct State: Hashable, Sendable, CustomStringConvertible {
        /// Whether the connection can still be used.
        public let fate: Fate
        /// The name of the interface by which a new connection like this one would leave, if it is a different one. Nil if it is
        /// the same, and where it cannot be found out (without netlink).
        public let betterPath: String?

        package init(_ fate: Fate, betterPath: String? = nil) {
            self.fate = fate
            self.betterPath = betterPath
        }

        /// Text such as "viable", or "unviable: noCarrier, better path: wlan0".
        public var description: String {
            let word =
                switch fate {
                case .viable: "viable"
                case .unviable(let obstacle): "unviable: \(obstacle)"
                case .dead(let end): "dead: \(end)"
                }
            return word + (betterPath.map { ", better path: \($0)" } ?? "")
        }
    }

    private let epoch = ForkEpoch()
    private let descriptor: Int32
    private let facts: SocketFacts
    /// The path of the connection's packets, which observers watch.
    let path: ReachabilityRef
    private let remote: Target
    /// The packets of the connection: those from its local address to its peer.
    private let own: Target
    private let end = Lock<End?>(nil)
    private let client = ClientHandler<State>()
    /// The observation behind ``setHandler(on:_:)``.
    private let observation = Lock<CancellationToken?>(nil)

    /// Reads the addresses and options of the socket behind `descriptor`, once.
    ///
    /// - Throws: ``ReachabilityError`` with the code ``ReachabilityError/Code/invalidSocket`` if it is not a connected TCP or UDP
    ///   socket; the explanation says what it is.
    public convenience init(of descriptor: Int32) throws(ReachabilityError) {
        // Work begins here, because stored properties get their first values before the body of the other initializer.
        beginWork()
        defer { endWork() }
        try self.init(of: descriptor, in: NamespaceRegistry.current.namespaceOfCallingThread())
    }

    package init(of descriptor: Int32, in namespace: NamespaceContext) throws(ReachabilityError) {
        beginWork()
        defer { endWork() }
        do throws(SocketFacts.Problem) {
            facts = try SocketFacts(of: descriptor)
        } catch {
            throw ReachabilityError(error, descriptor)
        }
        self.descriptor = descriptor
        let (local, remote) = (facts.local.address, facts.remote.address)
        // A key that every new socket has anyway is not named, because without netlink the kernel cannot be asked for it.
        let usual = try namespace.kernel().socketDefaults[local.unmapped.family]
        let keys = RoutingKeys(
            interface: InterfaceIndex(facts.interface).map(Scope.index),
            mark: facts.mark == usual.mark ?? 0 ? nil : facts.mark,
            userID: facts.owner == Credentials.realUser ? nil : facts.owner, transport: facts.isTCP ? .tcp : .udp,
            port: facts.remote.port)
        self.remote = Target(remote)
        own = Target(local: local, remote: remote) ?? self.remote
        path = ReachabilityRef(.target(own), keys: keys, namespace: namespace)
    }

    /// The present state. Blocks for microseconds, and may be called on any thread.
    ///
    /// - Throws: ``ReachabilityError`` if the kernel could not be asked.
    public func current() throws(ReachabilityError) -> State {
        switch try answer(nil) {
        case .success(let state): return state
        case .failure(let error): throw ReachabilityError(error, object: own.description)
        }
    }

    /// The present state, for a client that follows it on an engine. Nil if the kernel cannot be asked; as nothing announces when
    /// it can be asked again, the engine evaluates again a little later. Called on the engine's thread.
    ///
    /// - Parameter choose: returns the interface by which a new connection would leave, where the client chooses it.
    package func current(on engine: EngineCore?, choosing choose: (() -> InterfaceIndex?)? = nil) -> State? {
        guard let found = try? answer(choose) else { return nil }
        // The engine may have failed, and another may have taken its place.
        if case .failure(let error) = found, !error.concernsOneQuestion, let engine, engine.loop.isCurrent {
            engine.askingFailed()
        }
        return try? found.get()
    }

    private func answer(_ choose: (() -> InterfaceIndex?)?) throws(ReachabilityError) -> Result<State, NetlinkError> {
        try undisturbed { () throws(ReachabilityError) -> Result<State, NetlinkError> in
            try checkProcess()
            if let end = end.withLock(\.self) { return .success(State(.dead(end))) }
            let kernel = try path.namespace.kernel()
            return Result { () throws(NetlinkError) in try look(at: kernel, choose) }
        }
    }

    /// At the fork, a thread of the parent may have held one of the locks of this object.
    func checkProcess() throws(ReachabilityError) {
        guard epoch.isCurrent else {
            throw ReachabilityError(
                .unsupported, "tell the fate of a connection", "descriptor \(descriptor)",
                "the object was made before this process was forked; make another one here")
        }
    }

    private func look(
        at kernel: KernelAccess, _ choose: (() -> InterfaceIndex?)?
    ) throws(NetlinkError) -> State {
        let chosen = choose.map { $0() }
        let state = try kernel.withRouteClient { (socket) throws(NetlinkError) in
            var lookups = [own, remote].map { TargetLookup($0, keys: path.keys) }
            // The keys name the owner of the socket if that is not the real user.
            try socket.answer(&lookups, ofCallingThread: false)
            let condition: SocketFacts.Condition
            do throws(Errno) {
                condition = try facts.condition(of: descriptor)
            } catch {
                throw .system(.openProbe, error)
            }
            let verdict = try lookups[0].outcome.get()
            // If a new connection would be refused, there is no better path: `result` is then "not reachable".
            var decision = FateDecision(
                condition: condition, local: facts.local.address.unmapped,
                verdict: verdict, owner: lookups[0].owner, next: lookups[1].result,
                nextSource: lookups[1].answer?.route?.source)
            if let chosen {
                (decision.next, decision.nextSource) = (
                    Verdict(flags: .reachable, interface: chosen, reason: .onLink), nil
                )
            }
            let better = try decision.betterInterface.flatMap { (index) throws(NetlinkError) in
                try socket.facts(of: index)?.name
            }
            return State(decision.fate, betterPath: better)
        }
        if case .dead(let end) = state.fate { self.end.withLock { $0 = end } }
        return state
    }

    // MARK: Changes

    /// The state as it changes: the present one first. The sequence ends after a state that is ``Fate/dead(_:)``, and throws if
    /// changes can no longer be watched.
    public var changes: NetworkChanges<State> {
        undisturbed {
            NetworkChanges { [self] feed throws(ReachabilityError) in
                try observe(failed: { feed.fail($0) }) { state in
                    feed.tell(state)
                    if case .dead = state.fate { feed.end() }
                }
            }
        }
    }

    /// Calls `handler` on `queue` with the present state, and then with each change, until the handler is replaced. Calls come
    /// one at a time, and a slow handler gets only the newest state. Nil ends the calls; if it is passed on that same serial
    /// queue, no further call begins afterwards. This object stays alive until then.
    ///
    /// - Throws: ``ReachabilityError`` if changes cannot be watched.
    public func setHandler(
        on queue: DispatchQueue, _ handler: (@Sendable (State) -> Void)?
    ) throws(ReachabilityError) {
        try undisturbed { () throws(ReachabilityError) in
            try checkProcess()
            observation.withLock { $0.take() }?.cancel()
            client.restart(at: .queue(queue))
            guard let handler else { return }
            let new = try observe { [client] in client.note($0) }
            client.setHandler(handler)
            observation.withLock { observation in
                defer { observation = new }
                return observation
            }?.cancel()
        }
    }

    /// Calls `body` on the engine's thread with the present state, and then with each change.
    func observe(
        failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in }, _ body: @escaping @Sendable (State) -> Void
    ) throws(ReachabilityError) -> CancellationToken {
        try undisturbed { () throws(ReachabilityError) -> CancellationToken in
            let last = Lock<State?>(nil)
            return try observeLooks(failed: failed) { [self] engine in
                guard let state = current(on: engine) else { return }
                let before = last.withLock { last in
                    defer { last = state }
                    return last
                }
                if state != before { body(state) }
            }
        }
    }

    /// Calls `body` on the engine's thread now, and after each evaluation of the connection's path, even if the state is the
    /// same.
    package func observeLooks(
        failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        _ body: @escaping @Sendable (EngineCore?) -> Void
    ) throws(ReachabilityError) -> CancellationToken {
        try checkProcess()
        return try path.observe(everyEvaluation: true, failed: failed) {
            [sharedEngine = path.namespace.sharedEngine] _ in
            body(sharedEngine.present?.core)
        }
    }
}

extension ReachabilityWatcher {
    /// Calls `handler` with the present state of a connection, and then with each change. Handlers are called inside
    /// `process()`.
    ///
    /// - Throws: ``ReachabilityError`` if the kernel's changes cannot be watched.
    @discardableResult
    public func add(
        _ fate: SocketFate, _ handler: @escaping (SocketFate.State) -> Void
    ) throws(ReachabilityError) -> Token {
        try undisturbed { () throws(ReachabilityError) -> Token in
            try fate.checkProcess()
            return try add(fate.path, everyEvaluation: true, handler) { fate.current(on: $1) }
        }
    }
}

extension ReachabilityError {
    fileprivate init(_ problem: SocketFacts.Problem, _ descriptor: Int32) {
        func make(_ explanation: String, _ code: Code = .invalidSocket, _ error: Errno? = nil) -> ReachabilityError {
            ReachabilityError(
                code, "tell the fate of a connection", "descriptor \(descriptor)", explanation, errno: error?.rawValue)
        }
        self =
            switch problem {
            case .notOpen: make("it is not open", .invalidSocket, .badDescriptor)
            case .unsuitable(let kind): make("it is \(kind); pass a connected TCP or UDP socket of IPv4 or IPv6")
            case .listening: make("it is a listening socket; pass one that accept(2) returned")
            case .notConnected: make("it is not connected, or not any more", .invalidSocket, .notConnected)
            case .system(let error): make("\(error)", .kernelUnavailable, error)
            }
    }
}

/// The facts that decide the fate of a socket. Pure: no I/O, no state.
package struct FateDecision: Sendable {
    package var condition: SocketFacts.Condition
    /// The address that the socket sends from.
    package var local: IPAddress
    /// The answer for the socket's packets: those from its local address, with its routing keys.
    package var verdict: Verdict
    /// The interface that has the local address, if the kernel says which.
    package var owner: InterfaceIndex?
    /// The answer for a new connection, and the address that it would send from.
    package var next: Verdict
    package var nextSource: IPAddress?

    package var fate: SocketFate.Fate {
        switch condition {
        case .gone: .dead(.closed)
        case .ended: .dead(.ended)
        case .failed: .dead(.failed)
        case .open: verdict.flags.rank == .none ? .unviable(SocketFate.Obstacle(verdict.reason)) : .viable
        }
    }

    /// The interface by which a new connection would leave, if it differs from that of this connection, which is the interface
    /// that has the local address. (Linux may route its packets out by another interface, but the replies come back to that
    /// address.) A new connection from the same address is no better, whichever interface has that address.
    package var betterInterface: InterfaceIndex? {
        guard condition == .open, next.flags.rank == .reachable, nextSource?.unscoped != local.unscoped,
            let interface = next.interface, interface != own
        else { return nil }
        return interface
    }

    private var own: InterfaceIndex? { owner.flatMap { $0 == .loopback ? nil : $0 } ?? verdict.interface }
}

extension SocketFate.Obstacle {
    fileprivate init(_ reason: Reason) {
        switch reason {
        case .notOurAddress, .noSourceAddress: self = .sourceGone
        case .interfaceMissing, .linkGone, .refused(.noSuchInterface): self = .interfaceGone
        case .linkDisabled: self = .linkDown
        case .linkBroken: self = .noCarrier
        default: self = .noRoute
        }
    }
}
