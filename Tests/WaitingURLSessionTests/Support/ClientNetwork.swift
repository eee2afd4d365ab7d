// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology

/// A machine with a /etc of its own, and another one, the Internet, which a wire connects once it is plugged in.
///
/// The Internet has the addresses 203.0.113.80 and 203.0.113.81, where its web server listens, and 203.0.113.53.
final class ClientNetwork {
    let machine: Machine
    let internet: Machine
    /// For what a server offers.
    private let folder = TemporaryFolder()
    private var servers: [WebServer] = []
    /// The programs that were started.
    private var programs: [RunningProgram] = []

    init() throws {
        (machine, internet) = (try .withOwnFiles(), try Machine())
        try machine.run("echo 'hosts: files dns' > /etc/nsswitch.conf")
        try internet.ip(
            """
            address add 203.0.113.80/32 dev lo
            address add 203.0.113.81/32 dev lo
            address add 203.0.113.53/32 dev lo
            """)
    }

    deinit {
        for server in servers { server.stop() }
    }

    /// Connects the machine by a wire without a route.
    ///
    /// - Parameter type: the type of the device, as its driver tells it.
    func wire(_ name: String, number: Int, type: String? = nil) throws {
        try machine.wire(
            name, address: "10.0.\(number).1/24", peer: name, peerAddress: "10.0.\(number).254/24", in: internet)
        if let type { try machine.setDeviceType(type, of: name) }
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
    func server(port: UInt16 = 80, _ manners: [WebServer.Answer]) throws -> ScriptedWebServer {
        let server = try internet.run { try ScriptedWebServer(port: port, manners) }
        servers.append(server.server)
        return server
    }

    /// Starts a real web server at 203.0.113.80, with one page.
    func startRealServer(_ text: String) throws {
        try machine.run("printf '\(text)' > \(folder.path)/index.html")
        let words = "python3 -u -m http.server 80 --bind 203.0.113.80 --directory \(folder.path)"
        programs.append(try RunningProgram(words.split(separator: " ").map(String.init), in: internet))
        try programs[programs.count - 1].waitForOutput("Serving HTTP")
    }

    /// Starts a real name server at 203.0.113.53. It knows the name web.test.
    func startNameServer() throws {
        try machine.run("echo 'nameserver 203.0.113.53' > /etc/resolv.conf")
        let words = ["--listen-address=203.0.113.53", "--local=/test/", "--host-record=web.test,203.0.113.80"]
        programs.append(try .dnsmasq(words, in: internet))
    }

    /// Performs a request on the machine. A word that begins with "http:" is the URL; other words are options of the program.
    func client(
        _ method: String = "GET", _ words: String..., within seconds: String = "100", environment: [String] = []
    ) throws -> RunningProgram {
        let url = words.first { $0.hasPrefix("http:") } ?? "http://203.0.113.80/"
        let options = words.filter { !$0.hasPrefix("http:") }
        let program =
            [BuiltProduct.path("waiting-client"), method, url, seconds]
            + (options.first?.contains("=") ?? true ? ["data"] : []) + options
        programs.append(try RunningProgram(["env"] + environment + program, in: machine))
        return programs[programs.count - 1]
    }
}
