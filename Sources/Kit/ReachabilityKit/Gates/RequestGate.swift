// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Lets a transfer begin when its host can be reached by a network that it may use.
///
/// ```swift
/// let gate = RequestGate(to: try ReachabilityRef(hostname: "backup.example"), .init(allowsExpensive: false))
/// try await gate.pass(timeout: .seconds(3600))
/// ```
///
/// A waiting task costs no thread and no timer of its own, and nothing is left of one that was cancelled. Passing promises nothing
/// about later: a long transfer follows ``obstacles`` beside its work. Each address of the host has to be allowed; ask again
/// for each host that a request is redirected to.
public struct RequestGate: Sendable {
    /// What the network must be like.
    public struct Conditions: Hashable, Sendable {
        /// Whether a mobile network, or one that NetworkManager calls metered, will do.
        public var allowsExpensive: Bool
        /// Whether a network that NetworkManager calls metered will do.
        public var allowsConstrained: Bool
        /// The kind of interface that packets must leave by; nil for any. Of a tunnel, that of the interface below it counts too.
        public var requiredKind: InterfaceKind?
        /// The kinds of interface that packets must not leave by.
        public var prohibitedKinds: Set<InterfaceKind>
        /// How long all of this must have been so without a break.
        public var stableTime: Duration

        /// Makes conditions. Without any, the host has to be reachable.
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
        /// Not all is known yet: the name is being resolved, or NetworkManager has not answered. That takes 250 ms at most for
        /// NetworkManager; what it has not said by then is not waited for. A network that comes up later is not metered until
        /// NetworkManager says so, some milliseconds later: ``Conditions/stableTime`` covers that. Or the kernel refuses to answer
        /// about the host.
        case unknown
        /// The host cannot be reached, or its name cannot be resolved.
        case unreachable
        /// Packets leave by an interface of a kind that is not allowed.
        case interface
        /// Packets leave by a mobile network, or by one that NetworkManager calls metered.
        case expensive
        /// Packets leave by a network that NetworkManager calls metered.
        case constrained
        /// All is well, but has not been so for long enough.
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

    /// The host.
    public let reference: ReachabilityRef
    /// What the network must be like.
    public let conditions: Conditions

    /// Makes a gate. Nothing is asked or watched until it is used, any number of times.
    public init(to reference: ReachabilityRef, _ conditions: Conditions = Conditions()) {
        self.reference = reference
        self.conditions = conditions
    }

    /// Suspends until the gate is open.
    ///
    /// - Parameter timeout: the longest time to wait; nil for no limit.
    /// - Throws: ``ReachabilityError`` with the code `timedOut`, which says what stood in the way, or `cancelled`; other codes if
    ///   changes cannot be watched.
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

    /// Performs `body` when the gate is open, and returns what that returns.
    ///
    /// - Throws: what ``pass(timeout:)`` throws, or what `body` does.
    public func pass<Value>(
        timeout: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> sending Value
    ) async throws -> sending Value {
        try await pass(timeout: timeout)
        return try await body()
    }

    /// What stands in the way, as it changes. Nothing does when an element is empty.
    public var obstacles: NetworkChanges<[Obstacle]> { obstacles(endingAfter: nil) }

    /// The same, and the sequence ends after a time.
    private func obstacles(endingAfter timeout: Duration?) -> NetworkChanges<[Obstacle]> {
        undisturbed {
            NetworkChanges { feed throws(ReachabilityError) in
                try observe(endingAfter: timeout, failed: { feed.fail($0) }) { view in
                    if let view { feed.tellIfNew(view.obstacles) } else { feed.end() }
                }
            }
        }
    }

    /// What stands in the way now, stability apart. Waits 250 ms at most for NetworkManager. A name counts as not known.
    package func current() throws(ReachabilityError) -> [Obstacle] {
        try undisturbed { () throws(ReachabilityError) -> [Obstacle] in
            if reference.isName { return [.unknown] }
            let path = try PathSource(of: reference.namespace).current(
                hintTimeout: conditions.needHints ? SharedEngine.hintLimit : nil)
            return conditions.obstacles([Observation(try reference.currentVerdict())], path)
        }
    }

    /// Calls `body` on the engine's thread with what is known, and then with each change of that.
    ///
    /// - Parameters:
    ///   - followsPath: whether changes of the path count, although the conditions do not need it.
    ///   - timeout: after this, `body` is called with nil.
    ///   - failed: called if the engine fails. Nothing follows.
    /// - Returns: ends this. No further call of `body` begins after it was cancelled.
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
    /// Calls `handler` with what keeps a gate closed, and then with each change. Nothing does when the array is empty.
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
    /// Whether more is asked for than that the host can be reached.
    package var needPath: Bool { !allowsExpensive || needKinds || !allowsConstrained }
    /// Whether NetworkManager's word counts.
    var needHints: Bool { !allowsExpensive || !allowsConstrained }
    private var needKinds: Bool { requiredKind != nil || !prohibitedKinds.isEmpty }

    /// What stands in the way now. Pure: no I/O, no state.
    ///
    /// - Parameter host: what was found of each address of the host. Who connects chooses among them, so each must be allowed.
    package func obstacles(_ host: [Observation], _ path: NetworkPath) -> [RequestGate.Obstacle] {
        guard host.contains(where: \.flags.isReachable) else { return [.unreachable] }
        var found: Set<RequestGate.Obstacle> = []
        for address in host where address.flags.contains(.reachable) && !address.flags.contains(.isLocalAddress) {
            let used = path.interfacesUsed(towards: address.interface)
            var kinds = Set(used.map(\.kind))
            // An interface that the path does not list.
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
    /// The interface of the route to a host. Packets into a tunnel also leave by another interface; this takes the one that
    /// the default path uses.
    fileprivate func interfacesUsed(towards index: InterfaceIndex?) -> [Interface] {
        let view = view()
        guard let own = interfaces.first(where: { $0.linkIndex == index }) else { return view.used }
        return own.isTunnel ? [own] + view.used : [own]
    }
}

/// Since when something holds, and whether that is long enough. Pure.
package struct Steadiness: Hashable, Sendable {
    package let time: Duration
    private var since: BootTime?

    package init(_ time: Duration) { self.time = time }

    /// When it will have held for long enough; nil if it does not hold.
    package var moment: BootTime? { since?.advanced(by: time) }

    /// Returns whether it holds, and has done so for long enough.
    package mutating func observe(_ holds: Bool, at now: BootTime) -> Bool {
        since = holds ? since ?? now : nil
        return moment.map { now >= $0 } ?? false
    }
}
