// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import ReachabilityResolverFiles
package import ReachabilitySystemBus

/// The facts that a path is made from: the kernel's answers, and the resolver's configuration.
package struct PathFacts: Sendable {
    /// An interface, and the kernel's answers about packets bound to it.
    package struct Candidate: Sendable {
        package var link: LinkFacts
        package var addresses: [InterfaceAddress]
        package var answers: [AddressFamily: RouteAnswer]

        package init(
            link: LinkFacts, addresses: [InterfaceAddress], answers: [AddressFamily: RouteAnswer] = [:]
        ) {
            self.link = link
            self.addresses = addresses
            self.answers = answers
        }
    }

    /// The kernel's answers about packets that are bound to no interface. The interfaces that they leave by are among the
    /// candidates.
    package var defaults: [AddressFamily: RouteAnswer] = [:]
    package var candidates: [Candidate] = []
    package var servers: [ServerAddress] = []
    /// NetworkManager's information about interfaces, which the kernel does not have. No flag and no status depends on it. The
    /// kernel never reuses an index for a link that is created again, so nothing is known of such a link at first.
    package var hints: [InterfaceIndex: NetworkManager.Device] = [:]
    /// How often this process has seen the machine wake from a sleep of over a minute.
    package var sleeps: UInt64 = 0

    /// How long each answer holds.
    var lifetimes: [RouteLifetime] = []

    package init() {}
}

extension PathFacts {
    /// The interface that has the source address of a route; nil if there is none. If the kernel does not name the next hop, this
    /// is the best guess at the interface that packets leave by.
    func owner(of answer: RouteAnswer) -> InterfaceIndex? {
        guard let source = answer.route?.source else { return nil }
        return candidates.first { $0.addresses.contains { $0.address == source } }?.link.index
    }
}

/// Asks the kernel for the facts that a path is made from. Links and addresses are listed once, and again after one of them has
/// changed. Routes are looked up: one for each family, and one for each family of each interface that has an address. They are
/// never listed, because there may be a million of them.
package struct PathFactsReader {
    private let deviceTypes: DeviceTypes
    /// The number of sleeps of over a minute so far.
    private let countSleeps: () -> UInt64
    private var candidates: [PathFacts.Candidate]?
    /// The last listing, without the information from uevents.
    package private(set) var inventory = NetworkInventory()
    private var links: [InterfaceIndex: LinkFacts] = [:]
    private var devices: [InterfaceIndex: Device] = [:]
    /// How often all links and addresses have been listed.
    package private(set) var listings = 0

    /// The information of sysfs about a device. The type of a device never changes, so it is read only once.
    private struct Device {
        let name: String
        let kind: String?
        let type: String?
    }

    package init(deviceTypes: DeviceTypes, countSleeps: @escaping () -> UInt64 = { 0 }) {
        self.deviceTypes = deviceTypes
        self.countSleeps = countSleeps
    }

    package init(in namespace: NamespaceContext) {
        self.init(deviceTypes: namespace.deviceTypes) { [engine = namespace.sharedEngine] in engine.sleepCount }
    }

    /// Called when a link or an address has changed.
    package mutating func forgetInterfaces() {
        candidates = nil
    }

    /// The present facts.
    package mutating func facts(
        asking socket: RouteClient, servers: [ServerAddress]
    ) throws(NetlinkError) -> PathFacts {
        var facts = PathFacts()
        facts.servers = servers
        facts.sleeps = countSleeps()
        if candidates == nil { candidates = try listInterfaces(socket) }
        facts.candidates = candidates ?? []
        try lookUpRoutes(&facts, socket)
        for case .route(let route)? in AddressFamily.allCases.map({ facts.defaults[$0] }) {
            // A tunnel may be the interface of a default route without an address of its own.
            guard let index = route.interface, !facts.candidates.contains(where: { $0.link.index == index }) else {
                continue
            }
            var link = links[index]
            if link == nil { link = try socket.facts(of: index) }
            if let link {
                facts.candidates.append(PathFacts.Candidate(link: withDevice(link, devices), addresses: []))
            }
        }
        return facts
    }

    // MARK: Links and addresses

    private mutating func listInterfaces(_ socket: RouteClient) throws(NetlinkError) -> [PathFacts.Candidate] {
        listings += 1
        inventory = try socket.inventory()
        let all = inventory.links.map(\.facts)
        let addresses = Dictionary(
            grouping: inventory.addresses.map(\.address).filter(\.isUsable), by: \.interface)
        links = Dictionary(all.map { ($0.index, $0) }) { first, _ in first }
        let known = devices
        devices = [:]
        var found: [PathFacts.Candidate] = []
        for link in all {
            guard link.flags.contains(.up), let own = addresses[link.index],
                link.isLoopback || own.contains(where: \.reachesBeyondLink)
            else { continue }
            found.append(PathFacts.Candidate(link: withDevice(link, known), addresses: own))
        }
        return found
    }

    private mutating func withDevice(_ link: LinkFacts, _ known: [InterfaceIndex: Device]) -> LinkFacts {
        var link = link
        if let device = known[link.index], device.name == link.name, device.kind == link.kind {
            link.deviceType = device.type
        } else {
            do throws(Errno) {
                link.deviceType = try deviceTypes.typeOrWireless(of: link)
            } catch {
                return link
            }
        }
        devices[link.index] = Device(name: link.name, kind: link.kind, type: link.deviceType)
        return link
    }

    // MARK: Routes

    /// Looks up all routes at once: for the usual few interfaces, one datagram is enough.
    private func lookUpRoutes(_ facts: inout PathFacts, _ socket: RouteClient) throws(NetlinkError) {
        // The position of the candidate that packets are bound to; nil for packets that are bound to nothing.
        var owners: [(candidate: Int?, family: AddressFamily)] = []
        var lookups: [TargetLookup] = []
        for family in AddressFamily.allCases {
            owners.append((nil, family))
            lookups.append(TargetLookup(.defaultPathOf(family), keys: RoutingKeys()))
            for (position, candidate) in facts.candidates.enumerated() where candidate.mayLeadOut(family) {
                owners.append((position, family))
                lookups.append(
                    TargetLookup(.defaultPathOf(family), keys: RoutingKeys(interface: .index(candidate.link.index))))
            }
        }
        try socket.answer(&lookups, ofCallingThread: false)
        for (owner, lookup) in zip(owners, lookups) {
            facts.lifetimes.append(try lookup.outcome.get().lifetime)
            if let position = owner.candidate {
                facts.candidates[position].answers[owner.family] = lookup.answer
            } else {
                facts.defaults[owner.family] = lookup.answer
            }
        }
    }
}

extension PathFacts.Candidate {
    /// Whether the interface has an address of the family that reaches beyond the link.
    fileprivate func mayLeadOut(_ family: AddressFamily) -> Bool {
        !link.isLoopback && addresses.contains { $0.reachesBeyondLink && $0.address.family == family }
    }
}
