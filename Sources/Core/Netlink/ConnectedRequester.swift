// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Answers where netlink is refused (a seccomp filter, systemd's RestrictAddressFamilies=), by connecting a UDP socket. The
/// kernel then looks up a route and sends nothing. Links are known by ioctl(2) (netdevice(7)).
///
/// This tells less. The gateway is unknown, so only addresses of this machine are known to be direct. The link is known
/// only through the source address, or if one was named. Rules see a UDP socket. No change is announced.
package final class ConnectedRequester: KernelRequester, Sendable {
    private let place: NamespacePlace

    /// - Parameter place: the namespace to ask; by default that of the thread that asks.
    package init(in place: NamespacePlace = NamespacePlace(identity: nil, handle: nil)) {
        self.place = place
    }

    /// A socket meets them itself.
    package func rules(of family: AddressFamily) -> RoutingRules { [] }

    // MARK: Routes

    package func routes(_ queries: [RouteQuery], into replies: inout [RouteReply]) throws(NetlinkError) {
        replies.removeAll(keepingCapacity: true)
        for query in queries {
            let isPossible = query.mark == nil && query.userID == nil
            replies.append(
                isPossible
                    ? try place.inside { () throws(NetlinkError) in try self.reply(to: query) }
                    : RouteReply(failure: .needsNetlink))
        }
    }

    private func reply(to query: RouteQuery) throws(NetlinkError) -> RouteReply {
        // A socket refuses the first addresses that stand for the default path.
        let family = query.destination.family
        let isFirst = query.destination == IPAddress.behindDefault(family)
        let destination = isFirst ? IPAddress.farAway(family) : query.destination
        let source: IPAddress
        do throws(Errno) {
            source = try Self.source(of: query, to: destination, in: nil)
        } catch {
            if error.saysNothing { throw .system(.openProbe, error) }
            return RouteReply(error: error == .addressNotAvailable ? .networkUnreachable : error)
        }
        let isOwn = try Self.isOwn(destination, source, query)
        var route = RouteDecision(
            kind: isOwn ? .local : .unicast, family: destination.family, source: source)
        if !isOwn {
            route.isHopUnknown = true
            switch query.interface {
            case InterfaceIndex.loopback:
                // No route leads there: the socket was connected as if the destination were on-link, which is table 0.
                route.interface = .loopback
                route.table = 0
            case let interface?: route.interface = interface
            case nil:
                let owner = try Self.owner(of: source)
                // Packets from an address of lo may leave by any link.
                route.interface = owner == .loopback ? nil : owner
            }
        }
        return RouteReply(route)
    }

    /// Whether a destination is this machine's: packets can be sent from it to itself. The kernel does not choose a secondary
    /// address by itself. A socket can also be bound to a group or to a broadcast address, and sends from another then, though
    /// getsockname(2) tells that one (inet_bind_sk).
    ///
    /// - Parameter source: the address that the kernel chose.
    private static func isOwn(
        _ destination: IPAddress, _ source: IPAddress, _ query: RouteQuery
    ) throws(NetlinkError) -> Bool {
        if destination.isLoopback || source == destination.unscoped { return true }
        guard !destination.isMulticast else { return false }
        var query = query
        query.source = destination
        do throws(Errno) {
            let own = try Self.source(of: query, to: destination, in: nil, mayBroadcast: false)
            guard own == destination.unscoped else { return false }
        } catch {
            if error.saysNothing { throw .system(.openProbe, error) }
            return false
        }
        // With net.ipv6.ip_nonlocal_bind, any IPv6 address would do. An IPv4 socket cannot be connected then.
        guard case .v6 = destination else { return true }
        do throws(Errno) {
            return try nameOfOwner(of: destination) != nil
        } catch {
            if error.isShortage { throw .system(.openProbe, error) }
            return true
        }
    }

    /// The source address that a socket with the keys of a question would have; nil if it could not be connected.
    ///
    /// The socket speaks UDP, because TCP would send something. So a rule that refuses UDP alone also hides the source.
    package func source(for query: RouteQuery) throws(NetlinkError) -> IPAddress? {
        // With a handle the socket tells where the thread is, which costs less.
        if let handle = place.handle { return try Self.source(for: query, in: handle) }
        return try place.inside { () throws(NetlinkError) in try Self.source(for: query, in: nil) }
    }

    private static func source(
        for query: RouteQuery, in namespace: NamespaceHandle?
    ) throws(NetlinkError) -> IPAddress? {
        do throws(Errno) {
            return try source(of: query, to: query.destination, in: namespace)
        } catch {
            if error.saysNothing { throw .system(.openProbe, error) }
            return nil
        }
    }

    private static func source(
        of query: RouteQuery, to destination: IPAddress, in namespace: NamespaceHandle?, mayBroadcast: Bool = true
    ) throws(Errno) -> IPAddress {
        let probe = try ConnectedProbe(destination.family, in: namespace)
        if let interface = query.boundInterface { try probe.bind(to: .index(interface)) }
        if let mark = query.mark { try probe.setMark(mark) }
        if let userID = query.userID { try probe.setOwner(userID) }
        if let local = query.source { try probe.bind(source: local) }
        return try probe.connect(
            to: destination.scoped(to: destination.needsInterface ? query.interface : nil), port: query.port,
            mayBroadcast: mayBroadcast)
    }

    // MARK: Links and addresses

    package func link(_ index: InterfaceIndex) throws(NetlinkError) -> LinkFacts? {
        try place.inside { () throws(NetlinkError) in
            try Self.ask { () throws(Errno) in
                guard let name = try Interfaces.name(of: index.rawValue), let flags = try Interfaces.flags(of: name),
                    let type = try Interfaces.hardwareType(of: name)
                else { return nil }
                var link = LinkFacts(
                    index: index, name: name, hardwareType: type, flags: LinkFacts.Flags(rawValue: flags))
                // IFF_RUNNING means the operational state "up" or "unknown" (netif_oper_up in linux/netdevice.h).
                link.operationalState = link.flags.contains(.running) ? .up : .down
                return link
            }
        }
    }

    package func linkIndex(of name: String) throws(NetlinkError) -> InterfaceIndex? {
        try place.inside { () throws(NetlinkError) in
            try Self.ask { () throws(Errno) in try Self.index(name) }
        }
    }

    /// For each family the one link and address from which packets to a distant address would be sent. The length of the
    /// address's prefix is unknown.
    package func inventory() throws(NetlinkError) -> NetworkInventory {
        var inventory = NetworkInventory()
        var replies: [RouteReply] = []
        let queries = AddressFamily.allCases.map { RouteQuery(destination: IPAddress.farAway($0)) }
        try routes(queries, into: &replies)
        for (query, reply) in zip(queries, replies) {
            guard let route = try reply.answer(to: query).route, let source = route.source,
                let index = try place.inside({ () throws(NetlinkError) in try Self.owner(of: source) }),
                let link = try link(index)
            else { continue }
            if !inventory.links.contains(where: { $0.facts.index == index }) {
                inventory.links.append(NetworkInventory.Link(link))
            }
            let address = InterfaceAddress(interface: index, address: source, prefixLength: nil)
            inventory.addresses.append(NetworkInventory.Address(address))
        }
        return inventory
    }

    private static func owner(of address: IPAddress) throws(NetlinkError) -> InterfaceIndex? {
        try ask { () throws(Errno) in
            do throws(Errno) {
                return try nameOfOwner(of: address).flatMap(index)
            } catch {
                if error.isShortage { throw error }
                return nil
            }
        }
    }

    private static func nameOfOwner(of address: IPAddress) throws(Errno) -> String? {
        switch address {
        case .v4(let address): try Interfaces.owner(ofIPv4: address.rawValue.bigEndian)
        case .v6: try Interfaces.owner(ofIPv6: address.bytes.map(twoDigits).joined())
        }
    }

    private static func index(_ name: String) throws(Errno) -> InterfaceIndex? {
        try Interfaces.index(of: name).flatMap(InterfaceIndex.init)
    }

    /// Asks about interfaces. An error says nothing about them, such as a lack of descriptors.
    private static func ask<Value>(_ body: () throws(Errno) -> Value) throws(NetlinkError) -> Value {
        do throws(Errno) {
            return try body()
        } catch {
            throw .system(.openProbe, error)
        }
    }

    private static func twoDigits(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}

extension Errno {
    /// Whether a socket could not be connected for a reason that has nothing to do with the route: connect(2) also finds no free
    /// port (EAGAIN).
    fileprivate var saysNothing: Bool { isShortage || self == .wouldBlock }
}
