// SPDX-License-Identifier: Apache-2.0

import NetworkFacts
import TestHosts
import TestTopology
import Testing

@Suite(
    "A path monitor in C", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .sysfs),
    .disabled(if: Sanitizer.isOn, "the clients are not sanitized, and cannot load a library that is"))
struct PathMonitorTests {
    private let client: NetworkClient

    init() throws {
        client = try NetworkClient()
    }

    @Test(arguments: [NetworkClient.clang, NetworkClient.clangForCXX])
    func `keeps what the headers say about objects and handlers`(compiler: String) throws {
        try client.build("path-monitor-life.c", compiler)
        #expect(try client.run() == "ok\n")
    }

    @Test func `uses memory correctly and leaks none`() throws {
        try client.build("path-monitor-life.c", NetworkClient.clang, isStripped: true)
        #expect(try client.run("2", under: NetworkClient.valgrind) == "ok\n")
    }

    @Test func `tells of each cable that is pulled`() throws {
        try client.build("path-monitor.c", NetworkClient.clang)
        let network = client.topology
        let program = try client.start()
        defer { program.end() }
        try program.waitForOutput("<unsatisfied>\n")
        try network.wire("eth0", address: "10.0.0.1/24")
        try network.ip("route add default via 10.0.0.254 metric 100")
        try program.waitForOutput("<satisfied eth0=wired via 10.0.0.254:0 ipv4 uses-wired>\n")
        try network.wire("eth1", address: "2001:db8::1/64")
        try network.ip("-6 route add default via fe80::1 dev eth1")
        try program.waitForOutput(
            "<satisfied eth0=wired eth1=wired via 10.0.0.254:0 via fe80::1%eth1:0 ipv4 ipv6 uses-wired>\n")
        try network.ip("link set eth0-peer down")
        try program.waitForOutput("<satisfied eth1=wired via fe80::1%eth1:0 ipv6 uses-wired>\n")
        try network.ip("link set eth1-peer down")
        try program.waitForOutput("<unsatisfied>\n")
        try network.ip("link set eth0-peer up")
        try program.waitForOutput("<satisfied eth0=wired via 10.0.0.254:0 ipv4 uses-wired>\n")
        try network.setOperationalState(.dormant, of: "eth0")
        try program.waitForOutput("<satisfiable eth0=wired via 10.0.0.254:0 uses-wired>\n")
    }

    @Test func `prints the path, as in the example`() throws {
        try client.build("path.c", NetworkClient.clang, in: "Examples/C")
        let network = client.topology
        try network.wire("eth0", address: "10.0.0.1/24")
        try network.ip("route add default via 10.0.0.254")
        #expect(try client.run("1") == "out by IPv4, eth0\n")
        try network.ip("link set eth0-peer down")
        #expect(try client.run("1") == "no way out\n")
    }

    @Test func `sees only the types that it was made for`() throws {
        try client.build("path-monitor.c", NetworkClient.clang)
        let network = client.topology
        try network.wire("eth0", address: "10.0.0.1/24")
        try network.ip("route add default via 10.0.0.254")
        for kind in ["wifi", "no-wired"] {
            let program = try client.start(kind)
            try program.waitForOutput("<unsatisfied>\n")
            program.end()
        }
        let program = try client.start()
        try program.waitForOutput("<satisfied eth0=wired via 10.0.0.254:0 ipv4 uses-wired>\n")
        program.end()
    }

    @Test(arguments: ["gcc -std=c99 -pedantic", "gcc -std=gnu17", "g++ -x c++ -std=c++17"])
    func `has headers for compilers without blocks`(compiler: String) throws {
        try client.build("endpoints.c", compiler)
        #expect(try client.run() == "ok\n")
    }
}
