// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// Asks the kernel for routes, over a netlink socket where there is one, and remembers what it has learned about links and rules.
/// Used by one thread at a time.
///
/// The socket receives the announcement of every change of a link, an IPv6 address or a rule before it receives the answer to a
/// later request. So what was learned is still true after an answer if no such announcement has come since. A socket that does
/// not receive announcements forgets everything before each lookup.
///
/// What the kernel refuses to tell over netlink is found out by connecting sockets.
package final class RouteClient {
    private let deviceTypes: DeviceTypes
    package let socketDefaults: SocketDefaults
    private let connected: ConnectedRequester
    private let tier: LookupTier?

    // Unchecked for the same reason as the requester's properties: no two accesses overlap.
    /// Nil where netlink is refused, entirely or for routes.
    @safe @exclusivity(unchecked) private var netlink: NetlinkRequester?
    private let isToldOfChanges: Bool
    @safe @exclusivity(unchecked) private var links = Links(generation: 0)
    /// The link in the last answer. Most packets leave by the same link.
    @safe @exclusivity(unchecked) private var recentLink: LinkState?
    @safe @exclusivity(unchecked) private var rules4: Rules?
    @safe @exclusivity(unchecked) private var rules6: Rules?
    // Kept between requests, so that a request allocates nothing.
    @safe @exclusivity(unchecked) private var queries: [RouteQuery] = []
    @safe @exclusivity(unchecked) private var replies: [RouteReply] = []
    @safe @exclusivity(unchecked) private var askers: [Int] = []
    @safe @exclusivity(unchecked) private var single: [TargetLookup] = []

    /// Facts that are current as long as the requester's `linkGeneration` is this one.
    private struct Links {
        let generation: Int
        /// Sorted by index.
        var facts: [LinkFacts] = []
        var indices: [InterfaceName: InterfaceIndex] = [:]
        /// Whether any link has an IPv6 address for which there may be source-specific routes.
        var haveSourceOfIPv6: Bool?

        private func place(of index: InterfaceIndex) -> Int { facts.partitionPoint { $0.index >= index } }

        subscript(index: InterfaceIndex) -> LinkFacts? {
            let place = place(of: index)
            return place < facts.count && facts[place].index == index ? facts[place] : nil
        }

        mutating func add(_ new: LinkFacts) { facts.insert(new, at: place(of: new.index)) }
    }

    private struct Rules {
        let generation: Int
        let rules: RoutingRules
    }

    /// - Parameters:
    ///   - requester: asks over netlink; nil if no netlink socket can be made.
    ///   - tier: notified if the kernel refuses requests for routes.
    package init(
        _ requester: NetlinkRequester?, _ deviceTypes: DeviceTypes, _ socketDefaults: SocketDefaults,
        _ connected: ConnectedRequester = ConnectedRequester(), tier: LookupTier? = nil
    ) {
        netlink = requester
        isToldOfChanges = requester?.isTold == true
        self.deviceTypes = deviceTypes
        self.socketDefaults = socketDefaults
        self.connected = connected
        self.tier = tier
    }

    // MARK: Looking up targets

    /// The answer for one target.
    ///
    /// - Parameter ownsSocket: whether the socket in question would belong to the calling thread. Rules that name users see the
    ///   owner of a socket, which is the thread's file system user (sock_alloc_inode in net/socket.c). If false, they see the
    ///   thread's real user.
    package func verdict(
        on target: Target, keys: RoutingKeys, ofCallingThread ownsSocket: Bool = true
    ) throws(NetlinkError) -> Verdict {
        single.append(TargetLookup(target, keys: keys))
        defer { single.removeAll(keepingCapacity: true) }
        try answer(&single, ofCallingThread: ownsSocket)
        return try single[0].outcome.get()
    }

    /// Asks the kernel about all targets, many at a time. A refusal for one target is the failure of that target; the others get
    /// their answers.
    package func answer(
        _ lookups: inout [TargetLookup], ofCallingThread ownsSocket: Bool = true
    ) throws(NetlinkError) {
        for start in stride(from: 0, to: lookups.count, by: NetlinkRequester.routesInDatagram) {
            let batch = start..<min(start + NetlinkRequester.routesInDatagram, lookups.count)
            var attempts = 4
            while try !answer(&lookups, batch, ownsSocket), attempts > 1 { attempts -= 1 }
        }
    }

    /// Asks about some of the targets. Returns false if rules, or the indices of named interfaces, have changed in the meantime,
    /// so that the requests were the wrong ones.
    private func answer(
        _ lookups: inout [TargetLookup], _ batch: Range<Int>, _ ownsSocket: Bool
    ) throws(NetlinkError) -> Bool {
        if let tier, tier.isConnected { netlink = nil }
        forgetUnlessTold()
        var namesInterfaces = false
        for position in batch where lookups[position].namesInterface { namesInterfaces = true }
        let (linksBefore, rulesBefore) = (linkGeneration, ruleGeneration)
        for position in batch {
            try lookups[position].attempt { (lookup) throws(NetlinkError) in
                try lookup.begin { (name) throws(NetlinkError) in try index(of: name) }
            }
        }
        // These are found out once for the whole batch. While rules change, what was read of them is out of date at once, and
        // each target would cause them to be read again.
        var circumstances4: TargetLookup.Circumstances?
        var circumstances6: TargetLookup.Circumstances?
        while true {
            queries.removeAll(keepingCapacity: true)
            askers.removeAll(keepingCapacity: true)
            for position in batch {
                guard let family = lookups[position].family else { continue }
                let circumstances =
                    switch family {
                    case .v4: try circumstances(family, ownsSocket, known: &circumstances4)
                    case .v6: try circumstances(family, ownsSocket, known: &circumstances6)
                    }
                queries.append(lookups[position].question(under: circumstances))
                askers.append(position)
            }
            if queries.isEmpty { break }
            guard let netlink else {
                try connected.routes(queries, into: &replies)
                try takeReplies(for: &lookups)
                continue
            }
            do throws(NetlinkError) {
                try netlink.routes(queries, into: &replies)
            } catch {
                guard error.isRefusal else { throw error }
                self.netlink = nil
                tier?.routesWereRefused()
                return try answer(&lookups, batch, ownsSocket)
            }
            try takeReplies(for: &lookups)
        }
        return ruleGeneration == rulesBefore && (!namesInterfaces || linkGeneration == linksBefore)
    }

    private func takeReplies(for lookups: inout [TargetLookup]) throws(NetlinkError) {
        for (number, position) in askers.enumerated() {
            try lookups[position].attempt { (lookup) throws(NetlinkError) in
                try take(try replies[number].answer(to: queries[number]), to: queries[number], for: &lookup)
            }
        }
    }

    private func take(
        _ answer: RouteAnswer, to query: RouteQuery, for lookup: inout TargetLookup
    ) throws(NetlinkError) {
        var answer = answer
        var link: LinkState?
        var facts: LinkFacts?
        // For IPv6, the kernel does not say that the interface does not exist.
        if case .unreachable = answer, let index = query.interface, try self.facts(of: index) == nil {
            answer = .unreachable(.noSuchInterface)
        }
        if case .unreachable(.noRoute) = answer, let untold = try untoldRoute(for: query) { answer = .route(untold) }
        if case .route(let route) = answer, let index = route.isLocal ? query.otherInterface : route.interface {
            link = try state(of: index)
        }
        // gVisor's routes have no source address.
        if case .route(let route) = answer, route.source == nil, !route.isLocal {
            var completed = route
            completed.source = try connected.source(for: query)
            answer = .route(completed)
        }
        if lookup.isRecorded, case .route(let route) = answer, let index = route.interface {
            facts = try self.facts(of: index)
        }
        lookup.take(answer, link: link, facts: facts)
        if let query = lookup.seeksSource {
            lookup.take(source: try hasOtherSource(for: query) ? connected.source(for: query) : nil)
        }
    }

    /// Whether the source address that the kernel would choose after a refusal may lead to another answer. For IPv6, only a rule
    /// or a source-specific route (`ip -6 route add … from …`) can do that. Networks have such routes for the prefixes that they
    /// delegate to hosts, so if this machine has no address of that kind, connecting a socket is useless.
    private func hasOtherSource(for query: RouteQuery) throws(NetlinkError) -> Bool {
        guard case .v6 = query.destination else { return true }
        // The refusal came from a connected socket.
        guard let netlink else { return false }
        if try rules(of: .v6).contains(.sources) { return true }
        if knowsLinks, let known = links.haveSourceOfIPv6 { return known }
        let generation = linkGeneration
        let addresses: [NetworkInventory.Address]
        do throws(NetlinkError) {
            addresses = try netlink.addresses()
        } catch {
            guard error.isRefusal else { throw error }
            return true
        }
        let found = addresses.contains { $0.address.address.family == .v6 && $0.address.reachesBeyondLink }
        learn(since: generation) { $0.haveSourceOfIPv6 = found }
        return found
    }

    /// A route that the kernel uses but does not report; nil if there is none. The routes of an IPv6 next-hop object have one
    /// copy for each processor, made from the route that was looked up first. When that route is deleted, packets still leave by
    /// the copy, but a request that leads to the copy fails with ENETUNREACH, as if there were no route (`fib6_drop_pcpu_from` in
    /// net/ipv6/ip6_fib.c, `inet6_rtm_getroute` in net/ipv6/route.c; seen on 6.18). So a refusal is believed only if no socket
    /// can be connected.
    private func untoldRoute(for query: RouteQuery) throws(NetlinkError) -> RouteDecision? {
        // Without a source, the request is repeated with the source of a connected socket.
        guard case (.v6, _?) = (query.destination, query.source), !isConnected else { return nil }
        // Rules may route UDP differently.
        let mayDiffer = try rules(of: .v6).contains(.protocols) && query.transport != .udp
        guard !mayDiffer, let source = try connected.source(for: query) else { return nil }
        var route = RouteDecision(kind: .unicast, family: .v6, interface: query.interface, source: source)
        route.isHopUnknown = true
        return route
    }

    private func circumstances(
        _ family: AddressFamily, _ ownsSocket: Bool, known: inout TargetLookup.Circumstances?
    ) throws(NetlinkError) -> TargetLookup.Circumstances {
        if let known { return known }
        // A connected socket has the values of a new socket anyway.
        var circumstances = TargetLookup.Circumstances(
            rules: try rules(of: family), socket: isConnected ? .init() : socketDefaults[family])
        if ownsSocket, circumstances.rules.contains(.users) { circumstances.userID = Credentials.fileSystemUser }
        if let index = circumstances.socket.interface {
            circumstances.isSocketInVRF = try facts(of: index)?.kind == "vrf"
        }
        known = circumstances
        return circumstances
    }

    // MARK: Rules

    /// The keys that the rules of a family look at. The rules are dumped when they are first needed, and again after one has
    /// changed.
    private func rules(of family: AddressFamily) throws(NetlinkError) -> RoutingRules {
        let known = family == .v4 ? rules4 : rules6
        if let known, known.generation == ruleGeneration { return known.rules }
        let generation = ruleGeneration
        let found = Rules(generation: generation, rules: try requester.rules(of: family))
        if family == .v4 { rules4 = found } else { rules6 = found }
        return found.rules
    }

    // MARK: Links

    /// The state of a link; nil if it does not exist.
    package func state(of index: InterfaceIndex) throws(NetlinkError) -> LinkState? {
        if knowsLinks, let recentLink, recentLink.index == index { return recentLink }
        let state = try facts(of: index)?.state
        if knowsLinks, links[index] != nil { recentLink = state }
        return state
    }

    /// The facts of a link; nil if it does not exist.
    package func facts(of index: InterfaceIndex) throws(NetlinkError) -> LinkFacts? {
        if knowsLinks, let facts = links[index] { return facts }
        let generation = linkGeneration
        guard
            var facts = try asked({ (requester) throws(NetlinkError) in try requester.link(index) })
        else { return nil }
        do throws(Errno) {
            facts.deviceType = try deviceTypes.type(of: facts)
        } catch {
            return facts
        }
        learn(since: generation) { $0.add(facts) }
        return facts
    }

    /// The index of the interface that has a name now; nil if there is none.
    package func index(of name: InterfaceName) throws(NetlinkError) -> InterfaceIndex? {
        if knowsLinks, let index = links.indices[name] { return index }
        let generation = linkGeneration
        guard
            let index = try asked({ (requester) throws(NetlinkError) in try requester.linkIndex(of: name.description) })
        else { return nil }
        learn(since: generation) { $0.indices[name] = index }
        return index
    }

    /// All links and addresses, as far as the kernel reports them.
    package func inventory() throws(NetlinkError) -> NetworkInventory {
        try asked { (requester) throws(NetlinkError) in try requester.inventory() }
    }

    /// The facts of the link that has a name now; nil if there is none. The index is asked for and not remembered, because with
    /// its answer come the announcements of earlier changes.
    package func currentFacts(of name: InterfaceName) throws(NetlinkError) -> LinkFacts? {
        let index = try asked { (requester) throws(NetlinkError) in try requester.linkIndex(of: name.description) }
        forgetUnlessTold()
        guard let index else { return nil }
        return try facts(of: index)
    }

    // MARK: What is refused

    private var isConnected: Bool { netlink == nil }
    private var linkGeneration: Int { netlink?.linkGeneration ?? 0 }
    private var ruleGeneration: Int { netlink?.ruleGeneration ?? 0 }
    package var requester: any KernelRequester { netlink ?? connected }

    private func asked<Value>(
        _ ask: (any KernelRequester) throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        do throws(NetlinkError) {
            return try ask(requester)
        } catch {
            guard error.isRefusal, !isConnected else { throw error }
            return try ask(connected)
        }
    }

    private func forgetUnlessTold() {
        guard !isToldOfChanges || isConnected else { return }
        links = Links(generation: linkGeneration)
        (recentLink, rules4, rules6) = (nil, nil, nil)
    }

    private var knowsLinks: Bool { links.generation == linkGeneration }

    private func learn(since generation: Int, _ change: (inout Links) -> Void) {
        // If an announcement came with the answer, the facts are out of date already, and will be asked for again.
        if links.generation != generation {
            links = Links(generation: generation)
            recentLink = nil
        }
        change(&links)
    }
}

extension RouteQuery {
    /// The interface of the address, if the socket is bound to another one. Apart from that, addresses of this machine do not
    /// depend on a link.
    fileprivate var otherInterface: InterfaceIndex? {
        guard let boundInterface, let interface, interface != boundInterface else { return nil }
        return interface
    }
}
