// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityLinuxSystem
import TestTopology

/// A network namespace with its own /sys and /etc.
final class TestNetwork: Sendable {
    let topology: Machine

    init() throws {
        topology = try .withOwnFiles()
    }

    /// A network with the uplink eth0, by 10.0.1.254.
    static func wired() throws -> TestNetwork {
        let network = try TestNetwork()
        try network.addUplink("eth0", number: 1, metric: 100)
        return network
    }

    func ip(_ commands: String) throws { try topology.ip(commands) }

    /// Runs a line of shell in the namespace.
    func execute(_ line: String) throws { try topology.run(line) }

    /// Adds an Ethernet link with an address and a default route.
    func addUplink(_ name: String, number: Int, metric: Int, type: String? = nil) throws {
        try topology.wire(name)
        // The type is read once, so it is set first, as for a real device.
        if let type { try setDeviceType(type, of: name) }
        try ip("address add 10.0.\(number).1/24 dev \(name)")
        try ip("route add default via 10.0.\(number).254 metric \(metric)")
    }

    func setDeviceType(_ type: String, of name: String) throws { try topology.setDeviceType(type, of: name) }

    /// Replaces resolv.conf by a new file, as network managers do.
    func configureServers(_ servers: String...) throws {
        let lines = servers.map { "nameserver \($0)" }.joined(separator: "\\n")
        try execute("printf '\(lines)\\n' > /etc/new && mv /etc/new /etc/resolv.conf")
    }

    /// Makes a monitor of this network. A started monitor keeps the network's engine running.
    func monitor(_ make: @Sendable () -> NWPathMonitor = { NWPathMonitor() }) -> NWPathMonitor {
        topology.run { make() }
    }

    /// Starts a monitor and records its updates.
    func start(_ monitor: NWPathMonitor, _ recorder: PathRecorder) {
        recorder.watch(monitor)
        topology.run { monitor.start(queue: recorder.queue) }
    }

    /// A started monitor and its updates.
    func watch(_ make: @Sendable () -> NWPathMonitor = { NWPathMonitor() }) -> (NWPathMonitor, PathRecorder) {
        let (monitor, recorder) = (monitor(make), PathRecorder())
        start(monitor, recorder)
        return (monitor, recorder)
    }

    /// The present path: the first update of a new monitor.
    func path(_ make: @Sendable () -> NWPathMonitor = { NWPathMonitor() }) throws -> NWPath {
        let (monitor, recorder) = watch(make)
        defer { monitor.cancel() }
        return try recorder.next()
    }
}

extension NWPath {
    var names: [String] { availableInterfaces.map(\.name) }
    var types: [NWInterface.InterfaceType] { availableInterfaces.map(\.type) }
}
