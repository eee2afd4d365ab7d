// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestHosts
import TestTopology

/// A machine with a /etc of its own, and another one, the Internet, which a wire connects once it is plugged in.
///
/// The Internet has the addresses 203.0.113.80 and 203.0.113.81, where its web server listens, and 203.0.113.53.
final class ClientNetwork {
    let machine: Topology
    let internet: Topology
    /// For what a server offers.
    private let folder: String
    /// End the servers and the programs that were started.
    private var ends: [() -> Void] = []

    init() throws {
        folder = try String(CallingThread.execute(["mktemp", "-d"]).dropLast())
        (machine, internet) = (try Topology(sysfs: true), try Topology())
        try execute("mount -t tmpfs tmpfs /etc && echo 'hosts: files dns' > /etc/nsswitch.conf")
        try internet.ip(
            """
            address add 203.0.113.80/32 dev lo
            address add 203.0.113.81/32 dev lo
            address add 203.0.113.53/32 dev lo
            """)
    }

    deinit {
        for end in ends { end() }
        _ = try? CallingThread.execute(["rm", "-rf", folder])
    }

    /// Runs a line of shell on the machine.
    func execute(_ line: String) throws {
        try machine.run { () throws(TopologyError) in _ = try CallingThread.execute(["sh", "-ec", line]) }
    }

    /// Connects the machine by a wire without a route.
    ///
    /// - Parameter type: the type of the device, as its driver tells it.
    func wire(_ name: String, number: Int, type: String? = nil) throws {
        try machine.wire(
            name, address: "10.0.\(number).1/24", peer: name, peerAddress: "10.0.\(number).254/24", in: internet)
        guard let type else { return }
        let index = try machine.index(of: name).rawValue
        try execute(
            """
            file=$(mktemp)
            printf 'DEVTYPE=\(type)\\nINTERFACE=\(name)\\nIFINDEX=\(index)\\n' > $file
            mount --bind $file /sys/class/net/\(name)/uevent
            rm $file
            """)
    }

    func plugIn(_ number: Int, metric: Int = 100) throws {
        try machine.ip("route add default via 10.0.\(number).254 metric \(metric)")
    }

    /// Connects the machine by another wire instead of the one with the number before.
    func move(to number: Int) throws {
        try machine.ip("link del eth\(number - 1)")
        try wire("eth\(number)", number: number)
        try plugIn(number)
    }

    func plugOut(_ number: Int) throws { try machine.ip("route del default via 10.0.\(number).254") }

    /// A web server at 203.0.113.80 and 203.0.113.81.
    @discardableResult
    func server(port: UInt16 = 80, _ manners: [WebServer.Manner]) throws -> WebServer {
        let server = try internet.run { try WebServer(port: port, manners) }
        ends.append(server.stop)
        return server
    }

    private func start(_ path: String, _ words: [String], on place: Topology) throws -> ChildProcess {
        let program = try place.run { try ChildProcess(path, words) }
        ends.append(program.end)
        return program
    }

    /// Starts a real web server at 203.0.113.80, with one page.
    func startRealServer(_ text: String) throws {
        try execute("printf '\(text)' > \(folder)/index.html")
        let words = "python3 -u -m http.server 80 --bind 203.0.113.80 --directory \(folder)"
        try start("/bin/sh", ["-c", "exec \(words) >&2"], on: internet).waitForOutput("Serving HTTP")
    }

    /// Starts a real name server at 203.0.113.53. It knows the name web.test.
    func startNameServer() throws {
        try execute("echo 'nameserver 203.0.113.53' > /etc/resolv.conf")
        let words = [
            "--no-daemon", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--user=root", "--pid-file=",
            "--bind-interfaces", "--listen-address=203.0.113.53", "--local=/test/",
            "--host-record=web.test,203.0.113.80",
        ]
        try start("/usr/sbin/dnsmasq", words, on: internet).waitForOutput("started")
    }

    /// Performs a request on the machine. A word that begins with "http:" is the URL; other words are options of the program.
    func client(
        _ method: String = "GET", _ words: String..., within seconds: String = "100", environment: [String] = []
    ) throws -> ChildProcess {
        let url = words.first { $0.hasPrefix("http:") } ?? "http://203.0.113.80/"
        let options = words.filter { !$0.hasPrefix("http:") }
        let program =
            [BuiltProduct.path("waiting-client"), method, url, seconds]
            + (options.first?.contains("=") ?? true ? ["data"] : []) + options
        return try start("/usr/bin/env", environment + program, on: machine)
    }
}
