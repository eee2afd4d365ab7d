// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

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
        guard let own = interfaces.first(where: { $0.index == index }) else { return view.used }
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
