// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Lets a transfer begin when its host can be reached over a network that the transfer may use.
///
/// ```swift
/// let gate = RequestGate(to: try ReachabilityRef(hostname: "backup.example"), .init(allowsExpensive: false))
/// try await gate.pass(timeout: .seconds(3600))
/// ```
///
/// A waiting task needs no thread and no timer of its own, and a cancelled one leaves nothing behind. Passing the gate promises
/// nothing about later: a long transfer should follow ``obstacles`` while it runs. Every address of the host has to be allowed.
/// If a request is redirected, wait at a gate for the new host.
public struct RequestGate: Sendable {
    /// The requirements for the network.
    public struct Conditions: Hashable, Sendable {
        /// Whether a mobile network may be used, or one that NetworkManager calls metered.
        public var allowsExpensive: Bool
        /// Whether a network that NetworkManager calls metered may be used.
        public var allowsConstrained: Bool
        /// The kind of interface that packets must leave by; nil for any. For a tunnel, the kind of the interface below it
        /// counts, too.
        public var requiredKind: InterfaceKind?
        /// The kinds of interface that packets must not leave by.
        public var prohibitedKinds: Set<InterfaceKind>
        /// How long all conditions must have held without interruption.
        public var stableTime: Duration

        /// Makes conditions. By default, the host only has to be reachable.
        public init(
            allowsExpensive: Bool = true, allowsConstrained: Bool = true, requiredKind: InterfaceKind? = nil,
            prohibitedKinds: Set<InterfaceKind> = [], stableTime: Duration = .zero
        ) {
            self.allowsExpensive = allowsExpensive
            self.allowsConstrained = allowsConstrained
            self.requiredKind = requiredKind
            self.prohibitedKinds = prohibitedKinds
            self.stableTime = stableTime
        }
    }

    /// Why a gate is closed.
    public enum Obstacle: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// Not everything is known yet: the name is being resolved, NetworkManager has not answered, or the kernel refuses to
        /// answer about the host. NetworkManager is waited for at most 250 ms. A network that comes up later counts as unmetered
        /// until NetworkManager reports on it some milliseconds later; ``Conditions/stableTime`` bridges that gap.
        case unknown
        /// The host cannot be reached, or its name cannot be resolved.
        case unreachable
        /// Packets leave by an interface of a kind that is not allowed.
        case interface
        /// Packets leave by a mobile network, or by one that NetworkManager calls metered.
        case expensive
        /// Packets leave by a network that NetworkManager calls metered.
        case constrained
        /// Nothing else stands in the way, but the conditions have not held for long enough.
        case unstable

        /// The obstacle in a few words.
        public var description: String {
            switch self {
            case .unknown: "not known yet"
            case .unreachable: "not reachable"
            case .interface: "an interface of another kind leads there"
            case .expensive: "an expensive network leads there"
            case .constrained: "a metered network leads there"
            case .unstable: "waiting until this has lasted"
            }
        }
    }

    /// The host that the gate is for.
    public let reference: ReachabilityRef
    /// The requirements for the network.
    public let conditions: Conditions

    /// Makes a gate, which can be used any number of times. Nothing is asked or watched before it is used.
    public init(to reference: ReachabilityRef, _ conditions: Conditions = Conditions()) {
        self.reference = reference
        self.conditions = conditions
    }

    /// Suspends until the gate is open.
    ///
    /// - Parameter timeout: the longest time to wait; nil for no limit.
    /// - Throws: ``ReachabilityError`` with the code `timedOut`, whose explanation names the obstacles, or with `cancelled`; with
    ///   other codes if changes cannot be watched.
    public func pass(timeout: Duration? = nil) async throws(ReachabilityError) {
        var last: [Obstacle] = [.unknown]
        for try await obstacles in obstacles(endingAfter: timeout) {
            if obstacles.isEmpty { return }
            last = obstacles
        }
        let object = reference.subject.description
        if Task.isCancelled { throw ReachabilityError(.cancelled, "wait for", object, "the task was cancelled") }
        let words = last.map(\.description).joined(separator: ", ")
        throw ReachabilityError(.timedOut, "wait for", object, "the time was up (\(words))")
    }

    /// Waits until the gate is open, performs `body`, and returns its result.
    ///
    /// - Throws: what ``pass(timeout:)`` throws, or what `body` throws.
    public func pass<Value>(
        timeout: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> sending Value
    ) async throws -> sending Value {
        try await pass(timeout: timeout)
        return try await body()
    }

    /// The obstacles as they change: the present ones first. An empty array means that the gate is open.
    public var obstacles: NetworkChanges<[Obstacle]> { obstacles(endingAfter: nil) }

    /// The same sequence, which ends after a timeout.
    private func obstacles(endingAfter timeout: Duration?) -> NetworkChanges<[Obstacle]> {
        undisturbed {
            NetworkChanges { feed throws(ReachabilityError) in
                try observe(endingAfter: timeout, failed: { feed.fail($0) }) { view in
                    if let view { feed.tellIfNew(view.obstacles) } else { feed.end() }
                }
            }
        }
    }

    /// The present obstacles, without ``Conditions/stableTime``. Waits at most 250 ms for NetworkManager. Does not resolve a
    /// name: the answer is then `unknown`.
    package func current() throws(ReachabilityError) -> [Obstacle] {
        try undisturbed { () throws(ReachabilityError) -> [Obstacle] in
            if reference.isName { return [.unknown] }
            let path = try PathSource(of: reference.namespace).current(
                hintTimeout: conditions.needHints ? SharedEngine.hintLimit : nil)
            return conditions.obstacles([Observation(try reference.currentVerdict())], path)
        }
    }

    /// Calls `body` on the engine's thread with the present state, and then with each change.
    ///
    /// - Parameters:
    ///   - followsPath: whether to follow the path even if the conditions do not need it.
    ///   - timeout: after this time, `body` is called with nil.
    ///   - failed: called if the engine fails. Nothing follows.
    /// - Returns: a token that ends this. No further call of `body` begins after it was cancelled.
    package func observe(
        followingPath followsPath: Bool = false, endingAfter timeout: Duration? = nil,
        failed: @escaping @Sendable (ReachabilityError) -> Void = { _ in },
        _ body: @escaping @Sendable (GateView?) -> Void
    ) throws(ReachabilityError) -> CancellationToken {
        try undisturbed { () throws(ReachabilityError) -> CancellationToken in
            let engine = try reference.acquireEngine()
            let follower = GateFollower(
                self, on: engine, followsPath: followsPath || conditions.needPath, failed: failed, body)
            follower.begin(endingAfter: timeout)
            return CancellationToken { [reference] in
                follower.end()
                reference.namespace.sharedEngine.release()
            }
        }
    }
}

extension ReachabilityWatcher {
    /// Calls `handler` with the obstacles of a gate, and then with each change. An empty array means that the gate is open.
    /// Handlers are called inside `process()`.
    ///
    /// - Throws: ``ReachabilityError`` if the kernel's changes cannot be watched.
    @discardableResult
    public func add(
        _ gate: RequestGate, _ handler: @escaping ([RequestGate.Obstacle]) -> Void
    ) throws(ReachabilityError) -> Token {
        try undisturbed { () throws(ReachabilityError) -> Token in
            try gate.reference.checkKeys()
            return try add(in: gate.reference.namespace, handler) { engine, note, failed in
                let follower = GateFollower(gate, on: engine, followsPath: gate.conditions.needPath, failed: failed) {
                    view in
                    if let view { note(view.obstacles) }
                }
                follower.begin()
                return { _ in follower.end() }
            }
        }
    }
}

extension RequestGate.Conditions {
    /// Whether the conditions ask for more than that the host can be reached.
    package var needPath: Bool { !allowsExpensive || needKinds || !allowsConstrained }
    /// Whether the conditions depend on what NetworkManager says.
    var needHints: Bool { !allowsExpensive || !allowsConstrained }
    private var needKinds: Bool { requiredKind != nil || !prohibitedKinds.isEmpty }

    /// The present obstacles. Pure: no I/O, no state.
    ///
    /// - Parameter host: the answer for each address of the host. The program may connect to any of them, so each must be
    ///   allowed.
    package func obstacles(_ host: [Observation], _ path: NetworkPath) -> [RequestGate.Obstacle] {
        guard host.contains(where: \.flags.isReachable) else { return [.unreachable] }
        var found: Set<RequestGate.Obstacle> = []
        for address in host where address.flags.contains(.reachable) && !address.flags.contains(.isLocalAddress) {
            let used = path.interfacesUsed(towards: address.interface)
            var kinds = Set(used.map(\.kind))
            // The path may not list the interface.
            if address.flags.contains(.isWWAN) { kinds.insert(.cellular) }
            let isMetered = used.contains(where: \.isMetered)
            let lacksKind = requiredKind.map { !kinds.contains($0) } ?? false
            if lacksKind || !kinds.isDisjoint(with: prohibitedKinds) { found.insert(.interface) }
            if !allowsExpensive, isMetered || kinds.contains(.cellular) { found.insert(.expensive) }
            if !allowsConstrained, isMetered { found.insert(.constrained) }
        }
        return RequestGate.Obstacle.allCases.filter(found.contains)
    }
}

extension NetworkPath {
    /// The interfaces that packets to a host leave by. The packets of a tunnel also leave by a second interface, which is taken
    /// to be the one that the default path uses.
    fileprivate func interfacesUsed(towards index: InterfaceIndex?) -> [Interface] {
        let view = view()
        guard let own = interfaces.first(where: { $0.linkIndex == index }) else { return view.used }
        return own.isTunnel ? [own] + view.used : [own]
    }
}

/// Since when a condition holds, and whether that is long enough. Pure.
package struct Steadiness: Hashable, Sendable {
    package let time: Duration
    private var since: BootTime?

    package init(_ time: Duration) { self.time = time }

    /// When the condition will have held for long enough; nil if it does not hold.
    package var moment: BootTime? { since?.advanced(by: time) }

    /// Returns whether the condition holds, and has held for long enough.
    package mutating func observe(_ holds: Bool, at now: BootTime) -> Bool {
        since = holds ? since ?? now : nil
        return moment.map { now >= $0 } ?? false
    }
}
