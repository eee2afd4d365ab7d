// SPDX-License-Identifier: Apache-2.0

import Network
import NetworkFacts
import TestHosts
import TestTopology

/// A network of a test's own, with a /sys and an /etc of its own.
final class Surroundings: Sendable {
    let topology: Topology

    init() throws {
        topology = try Topology(sysfs: true)
        try execute("mount -t tmpfs tmpfs /etc")
    }

    func ip(_ commands: String) throws { try topology.ip(commands) }

    /// Runs a line of shell among the surroundings.
    func execute(_ line: String) throws {
        try topology.run { () throws(TopologyError) in _ = try CallingThread.execute(["sh", "-ec", line]) }
    }

    /// A link of Ethernet's kind with an address, and a default route by it.
    func wayOut(_ name: String, number: Int, metric: Int, type: String? = nil) throws {
        try topology.wire(name)
        // A real device has its type from the first, and it is read once.
        if let type { try setDeviceType(type, of: name) }
        try ip("address add 10.0.\(number).1/24 dev \(name)")
        try ip("route add default via 10.0.\(number).254 metric \(metric)")
    }

    /// Has sysfs say of a device what drivers of modems and Wi-Fi have it say.
    func setDeviceType(_ type: String, of name: String) throws {
        let index = try topology.index(of: name).rawValue
        try execute(
            """
            file=$(mktemp)
            printf 'DEVTYPE=\(type)\\nINTERFACE=\(name)\\nIFINDEX=\(index)\\n' > $file
            mount --bind $file /sys/class/net/\(name)/uevent
            rm $file
            """)
    }

    /// Puts a whole file in place of resolv.conf, as its owners do.
    func configureServers(_ servers: String...) throws {
        let lines = servers.map { "nameserver \($0)" }.joined(separator: "\\n")
        try execute("printf '\(lines)\\n' > /etc/new && mv /etc/new /etc/resolv.conf")
    }

    /// Makes a monitor that looks at this network. Whoever holds it holds the network's engine.
    func monitor(_ make: @Sendable () -> NWPathMonitor = { NWPathMonitor() }) -> NWPathMonitor {
        topology.run { make() }
    }

    /// Starts a monitor whose updates a recorder collects.
    func start(_ monitor: NWPathMonitor, _ recorder: PathRecorder) {
        recorder.watch(monitor)
        topology.run { monitor.start(queue: recorder.queue) }
    }

    /// The first update of a fresh monitor: the path as it is now.
    func path(_ make: @Sendable () -> NWPathMonitor = { NWPathMonitor() }) throws -> NWPath {
        let recorder = PathRecorder()
        let monitor = monitor(make)
        start(monitor, recorder)
        defer { monitor.cancel() }
        return try recorder.next()
    }
}

extension NWPath {
    var names: [String] { availableInterfaces.map(\.name) }
    var types: [NWInterface.InterfaceType] { availableInterfaces.map(\.type) }
}
