// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles
import Synchronization
import TestTopology

/// A network with three veth pairs, a tunnel, a name server, a hosts file and a `Fence`.
final class SoakNetwork {
    let topology: Machine
    let queue = DispatchQueue(label: "callbacks")
    private let directory: NameDirectory
    private let fence: ReachabilityRef
    private let fenceTold = DispatchSemaphore(value: 0)
    /// The ends of veth pairs that are down. Both ends must be up for a carrier.
    private var downEnds: Set<String> = []
    private let tunnel: TunDevice?

    static let wires = ["eth0", "eth1", "eth2"]

    init() throws {
        let topology = try Machine()
        self.topology = topology
        try topology.makeFence()
        for (number, wire) in Self.wires.enumerated() {
            try topology.wire(wire, address: "10.\(number).0.1/24", "2001:db8:0:\(number)::1/64")
        }
        // On some machines only root may set this.
        tunnel = try? topology.tun("tun0", .tunnel, address: "10.9.0.1/30")
        directory = try topology.run { try NameDirectory(in: topology.namespace) }
        fence = try topology.run { try ReachabilityRef(address: Fence.address) }
        // The queue has room for a few announcements only, so that some are lost all the time.
        fence.namespace.sharedEngine.announcementQueueBytes.store(16 << 10, ordering: .relaxed)
        let told = fenceTold
        fence.setCallback { _ in told.signal() }
        try fence.setDispatchQueue(queue)
    }

    var hasTunnel: Bool { tunnel != nil }

    /// The present addresses of names in the name server and the hosts file.
    var names: [String: [String]] { directory.names }

    func end() throws {
        try fence.setDispatchQueue(nil)
        directory.end()
    }

    // MARK: Changing

    /// Returns false if the kernel refuses, for example because the object exists already.
    func perform(_ change: Change) throws -> Bool {
        switch change {
        case .commands(let commands):
            do throws(MachineError) {
                for command in commands { try topology.ip(command) }
            } catch {
                guard case .command = error.cause else { throw error }
                return false
            }
        case .wire(let end, let isUp):
            try topology.ip("link set \(end) \(isUp ? "up" : "down")")
            if isUp { downEnds.remove(end) } else { downEnds.insert(end) }
            // The kernel announces a carrier some time after the call has returned.
            try awaitCarriers()
        case .setting(let name, let value):
            try topology.set(name, value)
        case .dormancy(let link, let isDormant):
            guard hasCarrier(link) else { return false }
            try topology.setOperationalState(isDormant ? .dormant : .up, of: link)
        case .tunnelCarrier(let isOn):
            guard let tunnel else { return false }
            try tunnel.setCarrier(isOn)
            try topology.waitForLink("tun0") { ($0.readiness == .ready) == isOn }
        case .names(let names, let isHostsFile):
            directory.publish(names, inHostsFile: isHostsFile)
        case .storm(let count):
            try storm(count)
        case .repair:
            for end in ["eth0", "eth0-peer"] { _ = try perform(.wire(end, isUp: true)) }
            for (number, wire) in Self.wires.enumerated() {
                try topology.ip("address replace 10.\(number).0.1/24 dev \(wire)")
                try topology.ip("-6 address replace 2001:db8:0:\(number)::1/64 dev \(wire) nodad")
            }
            return try perform(
                .commands([
                    "route replace default via 10.0.0.254", "-6 route replace default via 2001:db8::fe dev eth0",
                ]))
        }
        return true
    }

    /// Adds and removes rules as fast as possible. Each is announced, passes the filter, and has every target looked
    /// up.
    private func storm(_ count: Int) throws {
        let changer = try Changer(in: topology)
        for number in 0..<count {
            let rule = {
                ReachabilityTestMachines.Change.rule($0, priority: 900, table: 77, to: "198.19.\(number % 256).0/24")
            }
            try changer.apply(rule(.add))
            try changer.apply(rule(.delete))
        }
    }

    private func hasCarrier(_ wire: String) -> Bool {
        !downEnds.contains(wire) && !downEnds.contains("\(wire)-peer")
    }

    private func awaitCarriers() throws {
        for wire in Self.wires {
            let hasCarrier = hasCarrier(wire)
            try topology.waitForLink(wire) { link in
                let isDead = link.operationalState == .down || link.operationalState == .lowerLayerDown
                return isDead != hasCarrier
            }
        }
    }

    // MARK: Waiting

    struct Deaf: Error, CustomStringConvertible {
        let description = "a change of the fence was not told"
    }

    /// Waits until everything that the kernel has announced so far was looked up, and all callbacks were made.
    func settle() throws {
        try Fence.pass(in: topology) { _ in
            guard fenceTold.wait(timeout: .now() + 30) == .success else { throw Deaf() }
        }
        queue.sync {}
    }
}

/// The name server and the configuration files of a namespace.
final class NameDirectory {
    private let fixture = ResolverFixture()
    private let server: NameServer
    private let served: Served
    private let namespace: NamespaceContext
    /// Every reference in the namespace uses this one.
    private let resolver: Resolver
    private(set) var names: [String: [String]] = [:]

    /// What the server's thread reads.
    private final class Served: Sendable {
        let addresses = Mutex<[String: [IPAddress]]>([:])
    }

    /// An empty hosts file counts as one that is being rewritten.
    private static let firstLine = "127.0.0.1 localhost\n"

    /// Has to be made on a thread of the namespace.
    init(in handle: NamespaceHandle) throws {
        let served = Served()
        self.served = served
        server = NameServer { question in
            guard let addresses = served.addresses.withLock({ $0[question.name] }) else { return .fail(rcode: 3) }
            let wanted = addresses.filter { ($0.family == .v4) == question.isA }
            return .answer(wanted.map { .address(question.name, $0, ttl: 60) })
        }
        fixture.write("hosts", Self.firstLine)
        fixture.write("resolv.conf", "")
        var environment = fixture.environment([server])
        environment.namespace = handle
        namespace = NamespaceRegistry.current.namespace(of: handle)
        let key = ResolverPool.Key(servers: nil, source: nil, keys: RoutingKeys())
        resolver = namespace.resolvers.resolver(key) { Resolver(environment) }
    }

    /// Changes the addresses of some names, and rewrites a configuration file so that the change is noticed. A name
    /// without addresses does not exist.
    func publish(_ changed: [String: [String]], inHostsFile: Bool) {
        names.merge(changed) { $1 }
        if inHostsFile {
            let lines = changed.flatMap { name, addresses in addresses.map { "\($0) \(name)\n" } }
            fixture.replace("hosts", Self.firstLine + lines.joined())
        } else {
            served.addresses.withLock { addresses in
                for (name, texts) in changed {
                    addresses[name] = texts.isEmpty ? nil : texts.map(IPAddress.init(text:))
                }
            }
            fixture.replace("resolv.conf", "# \(changed.keys.sorted().joined(separator: " "))\n")
        }
    }

    func end() {
        server.stop()
    }
}
