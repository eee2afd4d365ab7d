// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import TestHosts
import TestTopology

/// A destination with the keys of a socket, asked for through this package and by connecting a socket.
struct Question: Hashable {
    enum User: Hashable {
        /// The user of the program.
        case own
        /// One that the options name.
        case named(UInt32)
        /// The file system user of the asking thread.
        case thread(UInt32)
    }

    var destination: String
    var transport: ConnectedSocket.Transport
    var port: UInt16?
    var source: String?
    var isPair = false
    var interface: String?
    var mark: UInt32?
    var user = User.own

    var family: Family { destination.contains(":") ? .v6 : .v4 }

    /// TCP connects to no group of machines.
    private var isForOne: Bool {
        !destination.hasPrefix("ff0") && !destination.hasPrefix("224.") && !destination.hasSuffix(".255")
    }

    private static func destinations(_ family: Family) -> [String] {
        family == .v4
            ? ["10.0.0.7", "10.0.1.7", "10.0.2.7", "10.0.0.1", "10.0.1.1", "10.9.0.1", "127.0.0.1", "10.0.0.254"]
            : [
                "2001:db8:1::7", "2001:db8:2::7", "2001:db8:3::7", "2001:db8:1::1", "2001:db8:9::1", "::1",
                "fe80::77%eth0", "fe80::77%eth1", "fe80::1%eth0", "fd00:0:0:2::7", "fd77::1",
            ]
    }

    private static func far(_ family: Family, _ random: inout SeededGenerator) -> String {
        let last = Int.random(in: 1...30, using: &random)
        return family == .v4
            ? random.pick(["198.51.100.\(last)", "203.0.113.\(last)", "192.0.2.9", "8.8.4.\(last)", "172.16.0.\(last)"])
            : random.pick(["2001:db8:7::\(last)", "2001:db8:7:1::\(last)", "2001:db8:8::\(last)", "2600::\(last)"])
    }

    private static let groups: [Family: [String]] = [
        .v4: ["224.0.0.9", "224.1.2.3", "255.255.255.255", "10.0.0.255", "10.0.1.255"],
        .v6: ["ff02::1%eth0", "ff02::1%eth2", "ff0e::1"],
    ]

    init(about network: Network, canBeOthers: Bool, using random: inout SeededGenerator) {
        let family = random.pick(Family.allCases)
        destination =
            switch Int.random(in: 0..<20, using: &random) {
            case ..<14: Self.far(family, &random)
            case ..<19: random.pick(Self.destinations(family))
            default: random.pick(Self.groups[family]!)
            }
        transport = random.pick(ConnectedSocket.Transport.allCases)
        if network.hasPorts { port = random.pick([80, 443]) }
        if random.chance(0.2) { (source, isPair) = (random.pick(network.senders(family)), random.chance(0.5)) }
        if random.chance(0.15) { interface = random.pick(Network.interfaces + ["lo"]) }
        if random.chance(0.15) { mark = random.pick([7, 8]) }
        if canBeOthers, random.chance(0.25) { user = random.pick([.named(1000), .thread(1000)]) }
        // The other side's flags, although such a socket cannot connect: as on Apple's systems.
        if let given = source, ConnectedSocket.isLoopback(given), !ConnectedSocket.isLoopback(destination) {
            (source, isPair) = (nil, false)
        }
        // Such destinations are asked and judged as UDP.
        if !isForOne { transport = .udp }
    }

    // MARK: Asking

    private var options: ReachabilityOptions {
        var options = ReachabilityOptions()
        if !isPair { options.sourceAddress = source }
        options.interface = interface
        options.mark = mark
        options.transport = transport == .udp ? .udp : .tcp
        options.port = port
        if case .named(let number) = user { options.userID = number }
        return options
    }

    private func asUser<Value>(_ body: () throws -> Value) rethrows -> Value {
        if case .thread(let number) = user { return try CallingThread.asUserOfFiles(number, body) }
        return try body()
    }

    /// Asks this package, as its clients do. Runs on the network's thread.
    func explain() throws -> Explanation {
        try asUser {
            let reference =
                if isPair, let source {
                    try ReachabilityRef(local: source, remote: destination, options: options)
                } else {
                    try ReachabilityRef(address: destination, options: options)
                }
            let flags = try reference.getFlags()
            let explanation = try reference.explain()
            guard explanation.flags == flags else { throw Contradiction(flags: flags, explanation: explanation) }
            return explanation
        }
    }

    struct Contradiction: Error {
        let flags: ReachabilityFlags
        let explanation: Explanation
    }

    /// Connects a socket under the same keys. Runs on the network's thread.
    func connect() -> Result<ConnectedSocket.Way, Errno> {
        asUser {
            var owner: UInt32?
            if case .named(let number) = user { owner = number }
            let socket = ConnectedSocket(
                to: destination, by: transport, from: source, through: interface, mark: mark ?? 0, user: owner)
            return socket.connect(port: port ?? 9)
        }
    }
}

extension Question: CustomStringConvertible {
    /// The options and the target as the command line takes them.
    var description: String {
        var words = transport == .udp ? ["--udp"] : []
        if let port { words.append("--port \(port)") }
        if let source, !isPair { words.append("--source \(source)") }
        if let interface { words.append("--interface \(interface)") }
        if let mark { words.append("--mark \(mark)") }
        switch user {
        case .own: break
        case .named(let number): words.append("--uid \(number)")
        case .thread(let number): words.append("(in a thread with the file system user \(number))")
        }
        words.append(source.map { isPair ? "\($0),\(destination)" : destination } ?? destination)
        return words.joined(separator: " ")
    }
}
