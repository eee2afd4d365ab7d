// SPDX-License-Identifier: Apache-2.0

package import HostResolution
import LinuxSystem
package import Netlink
import NetworkFacts

/// Asks the kernel what a path is made from, and no more: all links and addresses once and again when one of them has
/// changed, one route for each family, and one for each family of each interface that has an address. Never the routes
/// themselves, of which there may be a million.
package struct PathFactsReader {
    private let deviceTypes: DeviceTypes
    private var inventory: [PathFacts.Candidate]?
    private var links: [InterfaceIndex: LinkFacts] = [:]
    private var devices: [InterfaceIndex: Device] = [:]
    /// How often all links and addresses were asked for.
    package private(set) var dumps = 0

    /// What sysfs said of a device. A device never changes its type, so the file is read once while it is in use.
    private struct Device {
        let name: String
        let kind: String?
        let type: String?
    }

    package init(deviceTypes: DeviceTypes) {
        self.deviceTypes = deviceTypes
    }

    /// A link or an address has changed.
    package mutating func forgetInventory() {
        inventory = nil
    }

    /// The facts as they are now.
    package mutating func facts(
        asking routeClient: RouteClient, servers: [ServerAddress]
    ) throws(NetlinkError) -> PathFacts {
        if inventory == nil { try takeInventory(routeClient.requester) }
        var facts = PathFacts()
        facts.servers = servers
        facts.candidates = inventory ?? []
        try askForDefaults(&facts, routeClient)
        try askForWaysOut(&facts, routeClient)
        return facts
    }

    // MARK: Links and addresses

    private mutating func takeInventory(_ requester: NetlinkRequester) throws(NetlinkError) {
        dumps += 1
        let all = try requester.links()
        let addresses = Dictionary(grouping: try requester.addresses().filter(\.isUsable), by: \.interface)
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
        inventory = found
    }

    private mutating func withDevice(_ link: LinkFacts, _ known: [InterfaceIndex: Device]) -> LinkFacts {
        var link = link
        if let device = known[link.index], device.name == link.name, device.kind == link.kind {
            link.deviceType = device.type
        } else {
            do throws(Errno) {
                link.deviceType = try deviceTypes.type(of: link)
            } catch {
                return link
            }
            if link.deviceType == nil, deviceTypes.hasWirelessExtensions(link) { link.deviceType = "wlan" }
        }
        devices[link.index] = Device(name: link.name, kind: link.kind, type: link.deviceType)
        return link
    }

    // MARK: Routes

    private mutating func askForDefaults(
        _ facts: inout PathFacts, _ routeClient: RouteClient
    ) throws(NetlinkError) {
        for family in AddressFamily.allCases {
            let query = RoutingKeys().query(for: family.behindDefault, socket: routeClient.socketDefaults[family])
            let answer = try routeClient.requester.route(query)
            facts.defaults[family] = answer
            // A tunnel needs no address to be where the default route leads.
            guard case .route(let route) = answer, let index = route.interface,
                !facts.candidates.contains(where: { $0.link.index == index })
            else { continue }
            var link = links[index]
            if link == nil { link = try routeClient.requester.link(index) }
            if let link {
                facts.candidates.append(PathFacts.Candidate(link: withDevice(link, devices), addresses: []))
            }
        }
    }

    private func askForWaysOut(_ facts: inout PathFacts, _ routeClient: RouteClient) throws(NetlinkError) {
        var queries: [RouteQuery] = []
        var owners: [Int] = []
        for (position, candidate) in facts.candidates.enumerated() where !candidate.link.isLoopback {
            for family in AddressFamily.allCases
            where candidate.addresses.contains(where: { $0.reachesBeyondLink && $0.address.family == family }) {
                let keys = RoutingKeys(interface: candidate.link.index)
                queries.append(keys.query(for: family.behindDefault, socket: routeClient.socketDefaults[family]))
                owners.append(position)
            }
        }
        var candidates = facts.candidates
        try routeClient.requester.routes(queries) { position, answer in
            candidates[owners[position]].answers[queries[position].destination.family] = answer
        }
        // Where there is a way, its metric says how it compares with the others. IPv4 tells it of the route in the
        // table only; few interfaces have a way, so asking for each costs nothing.
        for (position, query) in queries.enumerated() where query.destination.family == .v4 {
            if case .route? = candidates[owners[position]].answers[.v4] {
                candidates[owners[position]].answers[.v4] = try routeClient.requester.routeInDetail(query).answer
            }
        }
        facts.candidates = candidates
    }
}
