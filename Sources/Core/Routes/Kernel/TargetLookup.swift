// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// The requests that one target needs: decides which one comes next, and what the answers mean together. A pure value;
/// `RouteClient` sends the requests.
///
/// One destination may need two requests, because connect(2) looks up twice:
///
/// - IPv4 without a source address: the kernel looks the route up, takes its source, and looks up again with that
///   (ip_route_connect in include/net/route.h). The second answer decides. It can differ only if a rule names source addresses,
///   if the route has several hops, of which one is chosen by a hash of both addresses, or for a multicast or broadcast address,
///   which then leaves by the link that has the source (ip_route_output_key_hash_rcu in net/ipv4/route.c).
/// - IPv4 with an interface that has no route, where rules name source addresses: the kernel takes the target for a neighbour on
///   the link, chooses a source, which can be read from a connected socket, and looks up again with that.
/// - IPv6 without a source address: if the lookup fails, the kernel chooses a source and looks up again with that
///   (ip6_dst_lookup_tail in net/ipv6/ip6_output.c). Which source it chooses can only be read from a connected socket. This is
///   not done where no source leads to another answer (`RouteClient`).
/// - IPv6 with an interface and a source address: with a source, the answer is not restricted to the interface, as a bound socket
///   is (ip6_route_output_flags_noref in net/ipv6/route.c). Without a source, it is.
package struct TargetLookup: Sendable {
    package let target: Target
    package let keys: RoutingKeys
    /// Whether `records` is kept.
    package let isRecorded: Bool
    /// Every request and its answer. Explanations are made of these.
    package private(set) var records: [LookupRecord] = []
    /// The answer for the target, once `family` is nil and if there is no failure.
    package private(set) var result = Verdict.unreachable(.refused(.noRoute))
    /// Why there is no answer for this target. Others that are looked up with it may well get one.
    package private(set) var failure: NetlinkError?
    /// The answer or the failure, once `family` is nil.
    package var outcome: Result<Verdict, NetlinkError> { failure.map { .failure($0) } ?? .success(result) }
    /// The kernel's answer to the last request.
    package private(set) var answer: RouteAnswer?
    /// The interface that has the local address of a pair, if the kernel says which.
    package private(set) var owner: InterfaceIndex?

    private enum Stage {
        case done
        /// Whether the local address of a pair belongs to this machine.
        case ownership
        case destination(IPAddress, from: IPAddress?)
        /// The default route of one family: the route to an address behind it, from a local address or from any.
        case defaultPath(to: IPAddress, from: IPAddress?)
    }

    private enum Progress {
        case notAsked, asked
        /// The request is repeated, with the source from the first answer.
        case askedAgain
        /// The first lookup has failed; a connected socket gives the source for the second.
        case seekingSource
    }

    private var stage = Stage.done
    private var progress = Progress.notAsked
    private var query = RouteQuery(destination: .v4(.any))
    private var rules = RoutingRules()
    /// The given source, while the request leaves it out.
    private var givenSource: IPAddress?
    /// The index of the interface in the options.
    private var interface: InterfaceIndex?
    /// How long an answer holds that was skipped because it says nothing about the default path.
    private var passedOver = RouteLifetime.endless

    package init(_ target: Target, keys: RoutingKeys, isRecorded: Bool = false) {
        self.target = target
        self.keys = keys
        self.isRecorded = isRecorded
    }

    /// What the requests depend on besides the target and the options.
    package struct Circumstances {
        package var rules: RoutingRules
        /// The user for whom the kernel is asked, if rules name users. Nil for the real user of the asking thread.
        package var userID: UInt32?
        /// The values that a new socket has. They are used where no option replaces them.
        package var socket: SocketDefaults.Values
        /// Whether the interface of a new socket is a VRF.
        package var isSocketInVRF = false
    }

    // MARK: Asking

    /// Whether an interface is named, so that its index must be looked up first.
    package var namesInterface: Bool {
        func isName(_ scope: Scope?) -> Bool { if case .name? = scope { true } else { false } }
        return switch target {
        case .address(let address): isName(keys.interface) || isName(address.scope)
        case .pair(let local, let remote):
            isName(keys.interface) || isName(local.scope) || isName(remote?.scope)
        case .defaultPath, .defaultPathOf: isName(keys.interface)
        }
    }

    /// Begins, or begins again. Ends at once if the named interface does not exist.
    ///
    /// - Parameter indexOf: finds the interface that has a name now.
    package mutating func begin<Failure: Error>(
        _ indexOf: (InterfaceName) throws(Failure) -> InterfaceIndex?
    ) throws(Failure) {
        records = []
        result = .unreachable(.interfaceMissing)
        failure = nil
        stage = .done
        func resolve(_ scope: Scope?) throws(Failure) -> InterfaceIndex?? {
            switch scope {
            case nil: .some(nil)
            case .index(let index): index
            case .name(let name): try indexOf(name).map { $0 }
            }
        }
        func resolve(_ address: IPAddress) throws(Failure) -> IPAddress? {
            guard case .v6(let plain, let scope?) = address.unmapped else { return address.unmapped }
            guard case let index?? = try resolve(scope) else { return nil }
            return .v6(plain, scope: .index(index))
        }
        guard let bound = try resolve(keys.interface) else { return }
        interface = bound
        switch target {
        case .address(let address):
            guard let address = try resolve(address) else { return }
            enter(.destination(address, from: nil))
        case .pair(let local, let remote):
            guard let local = try resolve(local) else { return }
            pair = (local, nil)
            if let remote {
                guard let remote = try resolve(remote) else { return }
                pair = (local, remote)
            }
            enter(.ownership)
        case .defaultPath: enterDefaultPath(.v4, from: nil)
        case .defaultPathOf(let family): enterDefaultPath(family, from: nil)
        }
    }

    /// Performs a step. An error that concerns only this target ends its requests.
    mutating func attempt(
        _ step: (inout TargetLookup) throws(NetlinkError) -> Void
    ) throws(NetlinkError) {
        do throws(NetlinkError) {
            try step(&self)
        } catch {
            guard error.concernsOneQuestion else { throw error }
            failure = error
            stage = .done
        }
    }

    /// The addresses of a pair, with the indices of their interfaces.
    private var pair: (local: IPAddress, remote: IPAddress?) = (.v4(.any), nil)

    private mutating func enter(_ next: Stage) {
        stage = next
        progress = .notAsked
        givenSource = nil
    }

    private mutating func enterDefaultPath(_ family: AddressFamily, from local: IPAddress?) {
        passedOver = .endless
        enter(.defaultPath(to: IPAddress.behindDefault(family), from: local))
    }

    /// The family of the next request; nil if there is none.
    package var family: AddressFamily? {
        switch stage {
        case .done: nil
        case .ownership: pair.local.family
        case .destination(let address, _): address.family
        case .defaultPath(let address, _): address.family
        }
    }

    /// The next request.
    package mutating func question(under circumstances: Circumstances) -> RouteQuery {
        if case .notAsked = progress {
            query = firstQuestion(circumstances)
            progress = .asked
        }
        rules = circumstances.rules
        query.userID = query.userID ?? circumstances.userID
        return query
    }

    private func firstQuestion(_ circumstances: Circumstances) -> RouteQuery {
        var socket = circumstances.socket
        switch stage {
        case .ownership:
            // Whether an address belongs to this machine does not depend on the interface to which a socket is bound, unless that
            // is a VRF (inet_bind_sk in net/ipv4/af_inet.c).
            if !circumstances.isSocketInVRF { socket.interface = nil }
            return question(about: pair.local, from: nil, boundTo: nil, socket)
        case .destination(let address, let local), .defaultPath(let address, let local):
            return question(about: address, from: local, boundTo: interface, socket)
        case .done: preconditionFailure("asked for a question after the last")
        }
    }

    private func question(
        about destination: IPAddress, from local: IPAddress?, boundTo interface: InterfaceIndex?,
        _ socket: SocketDefaults.Values
    ) -> RouteQuery {
        // A client's interface is ignored for loopback addresses: packets to 127.0.0.1 from a socket bound to an Ethernet device
        // are sent to that device's gateway. The control group's interface is never ignored, because every socket has it.
        let bound = interface == nil ? socket.interface : destination.isLoopback ? nil : interface
        // A link-local address has a meaning on its own link only (RFC 4007). A socket that is bound to a link-local address is
        // also bound to its link (inet6_bind_sk in net/ipv6/af_inet6.c).
        var link: InterfaceIndex?
        if destination.needsInterface, case .index(let index)? = destination.scope ?? local?.linkLocalScope {
            link = index
        }
        return RouteQuery(
            destination: destination, source: local, interface: link ?? bound, boundInterface: bound,
            mark: keys.mark ?? socket.mark, userID: keys.userID,
            // TCP cannot connect to these.
            transport: destination.isMulticastOrBroadcast ? .udp : keys.transport, port: keys.port)
    }

    // MARK: Answers

    /// The destination to which a socket has to be connected in order to learn the source; nil if that is not needed.
    package var seeksSource: RouteQuery? { if case .seekingSource = progress { query } else { nil } }

    /// Takes the answer to the present request.
    ///
    /// - Parameters:
    ///   - link: the state of the link by which the route leaves.
    ///   - facts: the facts of the same link, for the record.
    package mutating func take(_ answer: RouteAnswer, link: LinkState?, facts: LinkFacts? = nil) {
        self.answer = answer
        lastLink = (link, facts)
        if case .asked = progress {
            let asked = query
            if mayDiffer(answer) {
                // While a source is sought, this may still become the last answer.
                if seeksSource == nil { record(answer, to: asked, isRepeated: false) }
                return
            }
        }
        conclude(answer)
    }

    /// The link of the last answer.
    private var lastLink: (state: LinkState?, facts: LinkFacts?)

    /// Takes the source that the kernel has chosen for the present destination; nil if it cannot send there at all.
    package mutating func take(source: IPAddress?) {
        guard let source else { return conclude(answer ?? .unreachable(.noRoute)) }
        if let answer { record(answer, to: query, isRepeated: false) }
        query.source = source.unscoped
        progress = .askedAgain
    }

    /// Whether connect(2) looks up again after this answer, and may get another one. Prepares that request.
    private mutating func mayDiffer(_ answer: RouteAnswer) -> Bool {
        if case .ownership = stage { return false }
        switch answer {
        case .route(let route):
            if route.kind == .broadcast, query.transport == .tcp, rules.contains(.protocols) {
                // Only the answer shows that this is the broadcast address of a network.
                query.transport = .udp
                return true
            }
            switch (query.destination, query.source) {
            case (.v4, nil):
                guard let source = route.source,
                    rules.contains(.sources) || route.hasSeveralHops || query.destination.isMulticastOrBroadcast
                else { return false }
                query.source = source
            case (.v6, let source?):
                guard let bound = query.boundInterface, let interface = route.interface, interface != bound else {
                    return false
                }
                leaveOut(source)
            default: return false
            }
            progress = .askedAgain
        case .unreachable(let refusal): return mayDiffer(refusal)
        }
        return true
    }

    private mutating func mayDiffer(_ refusal: RouteRefusal) -> Bool {
        switch (query.destination, query.source) {
        case (.v4, nil):
            guard refusal == .noRouteOnInterface, rules.contains(.sources) else { return false }
            progress = .seekingSource
        case (.v6, nil):
            guard refusal.mayDependOnSource, !(query.destination.needsInterface && query.interface == nil) else {
                return false
            }
            progress = .seekingSource
        case (.v6, let source?):
            // Where rules name sources, a lookup without a source uses other tables.
            guard refusal.mayDependOnSource, query.boundInterface != nil, !rules.contains(.sources) else {
                return false
            }
            leaveOut(source)
            progress = .askedAgain
        case (.v4, _): return false
        }
        return true
    }

    private mutating func leaveOut(_ source: IPAddress) {
        givenSource = source
        query.source = nil
    }

    private mutating func conclude(_ found: RouteAnswer) {
        var answer = found
        if let givenSource, case .route(var route) = answer {
            route.source = givenSource
            answer = .route(route)
        }
        self.answer = answer
        let verdict = Verdict(on: query, answer: answer, link: lastLink.state)
        let isRepeated = if case .askedAgain = progress { true } else { false }
        if case .defaultPath(let address, let local) = stage, let next = Self.addressToAsk(after: address, answer) {
            record(answer, to: query, isRepeated: isRepeated)
            passedOver = verdict.lifetime
            return enter(.defaultPath(to: next, from: local))
        }
        record(answer, to: query, isRepeated: isRepeated, verdict)
        conclude(verdict)
    }

    private mutating func conclude(_ found: Verdict) {
        var verdict = found
        if keys.userID == nil { verdict.user = query.userID }
        switch stage {
        case .done: break
        case .destination: finish(verdict)
        case .defaultPath(let address, let local):
            verdict = PathEvaluation.asDefaultPath(verdict)
            verdict.lifetime = verdict.lifetime.sooner(passedOver)
            guard case .defaultPath = target else { return finish(verdict) }
            // The default path is the IPv4 one if that works, and otherwise the IPv6 one.
            if address.family == .v6 { return finish(result.better(verdict)) }
            result = verdict
            if verdict.flags.rank == .reachable { stage = .done } else { enterDefaultPath(.v6, from: local) }
        case .ownership: ownershipIsKnown(verdict)
        }
    }

    private mutating func finish(_ verdict: Verdict, as reason: Reason? = nil) {
        result = verdict
        if let reason { (result.flags, result.interface, result.reason) = ([], nil, reason) }
        stage = .done
    }

    /// Continues with the remote address of a pair. Nothing can be sent from a local address that does not belong to this machine
    /// (configd-453, checkAddress).
    private mutating func ownershipIsKnown(_ owned: Verdict) {
        let (local, remote) = pair
        guard owned.flags.contains(.isLocalAddress) else {
            return finish(owned, as: .notOurAddress)
        }
        owner = answer?.route?.match?.interface
        guard let remote else { return finish(owned) }
        // No packet from a loopback address leaves the machine, and the kernel refuses such a request. macOS ignores the local
        // address in that case, and so does this package.
        if remote.isUnspecified { return enterDefaultPath(local.family, from: local.isLoopback ? nil : local) }
        guard local.family == remote.family else {
            return finish(owned, as: .familiesDiffer)
        }
        enter(.destination(remote, from: local.isLoopback && !remote.isLoopback ? nil : local))
    }

    private mutating func record(
        _ answer: RouteAnswer, to query: RouteQuery, isRepeated: Bool, _ verdict: Verdict? = nil
    ) {
        guard isRecorded else { return }
        let purpose: LookupRecord.Purpose =
            switch stage {
            case .ownership: .ownership
            case .defaultPath: .defaultPath
            case .destination, .done: .target
            }
        records.append(
            LookupRecord(
                purpose: purpose, query: query, isRepeated: isRepeated, given: keys, rules: rules, answer: answer,
                link: lastLink.facts,
                verdict: verdict.map { purpose == .defaultPath ? PathEvaluation.asDefaultPath($0) : $0 }))
    }

    // MARK: The default path

    /// The next address to ask about after this answer: the second one after a refusal, and after a route that covers fewer
    /// addresses than any route that stands for a default route. Nil if the answer decides.
    private static func addressToAsk(after address: IPAddress, _ answer: RouteAnswer) -> IPAddress? {
        guard address == IPAddress.behindDefault(address.family) else { return nil }
        if case .route(let route) = answer {
            guard let length = route.match?.prefix?.length, length > (address.family == .v4 ? 1 : 3) else { return nil }
        }
        return IPAddress.farAway(address.family)
    }
}

extension IPAddress {
    fileprivate var linkLocalScope: Scope? { needsInterface ? scope : nil }

    fileprivate var isMulticastOrBroadcast: Bool { isMulticast || self == .v4(.broadcast) }
}

extension RouteRefusal {
    /// Whether a lookup with a source address may have another result.
    fileprivate var mayDependOnSource: Bool {
        switch self {
        case .noRoute, .unreachable, .prohibited, .blackhole: true
        case .familyUnsupported, .noRouteOnInterface, .noSuchInterface, .leavesElsewhere: false
        }
    }
}
