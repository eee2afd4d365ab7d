// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

@Suite("A mistake about a machine", .timeLimit(.minutes(10)), .needs(.namespaces, .settings, .tun))
struct MachineMistakeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let act: @Sendable (TwoMachines) throws -> Void

        init(_ sentence: String, _ act: @escaping @Sendable (TwoMachines) throws -> Void) {
            (testDescription, self.act) = (sentence, act)
        }
    }

    /// The sentence, with the names of the machines without their numbers, and what is done.
    static let rows = [
        Row(
            "\"10.0.1.1\" is not the address of a link, which ends with the length of a prefix, as \"10.0.0.1/24\" does."
        ) {
            try $0.client.connect("eth1", to: $0.router, "10.0.1.1", "10.0.1.254/24")
        },
        Row("\"10.0.1\" is not an address.") { try $0.client.link("eth0").address("10.0.1/24") },
        Row("\"33\" in \"10.0.1.1/33\" is not the length of a prefix.") {
            try $0.client.link("eth0").address("10.0.1.1/33")
        },
        Row("It failed to connect eth0 of client to eth1 of router: File exists.") {
            try $0.client.connect("eth0", to: $0.router, "10.0.1.1/24", "10.0.1.254/24")
        },
        Row("There is already a machine named \"router\".") {
            try $0.client.connect("eth1", to: $0.router.name, "10.0.1.1/24", "10.0.1.254/24")
        },
        Row("\"a very long name\" cannot be the name of a link, which has 1 to 15 bytes and no blank, '/' or ':'.") {
            try $0.client.bridge("a very long name")
        },
        Row("client has no link named \"eth9\".") { try $0.client.link("eth9").unplug() },
        Row("client has no link named \"eth0\".") {
            let link = try $0.client.link("eth0")
            try link.delete()
            try link.bringUp()
        },
        Row("It failed to change the link lo of client: Operation not supported.") {
            try $0.client.link("lo").unplug()
        },
        Row("tun0 of client is not the end of a cable to a machine of this test.") {
            try $0.client.tun("tun0").replug(to: $0.router, "10.0.0.254/24")
        },
        Row("It failed to add the address 10.0.0.1/24 to eth0 of client: Address already assigned (File exists).") {
            try $0.client.link("eth0").address("10.0.0.1/24")
        },
        Row(
            "It failed to remove the address 10.0.0.9/24 from eth0 of client: Address not found (Cannot assign requested address)."
        ) {
            try $0.client.link("eth0").removeAddress("10.0.0.9/24")
        },
        Row(
            "It failed to add the route default via 10.9.9.9 of client: "
                + "Nexthop has invalid gateway (Network is unreachable)."
        ) {
            try $0.client.route("default", via: "10.9.9.9", metric: 5)
        },
        Row("It failed to add the route default via 10.0.0.254 of client: File exists.") {
            try $0.client.route("default", via: "10.0.0.254")
        },
        Row("It failed to remove the route 198.51.100.0/24 of client: No such process.") {
            try $0.client.removeRoute("198.51.100.0/24")
        },
        Row("\"10.0.0.1/24\" is not a network, whose address has no bits after the length: 10.0.0.0/24 is.") {
            try $0.client.route("10.0.0.1/24", on: "eth0")
        },
        Row("The kernel has IPv6 routes that end by themselves, but no IPv4 ones: 192.0.2.1 on eth0 of client.") {
            try $0.client.route("192.0.2.1", on: "eth0", seconds: 5)
        },
        Row("It failed to remove the rule for table 7 of client: No such file or directory.") {
            try $0.client.removeRule(table: 7)
        },
        Row("It failed to set net.ipv4.nothing to 1: No such file or directory.") {
            try $0.client.set("net.ipv4.nothing", 1)
        },
        Row("`sh -ec echo nothing >&2; exit 3` ended with 3: nothing\n") {
            try $0.client.run("echo nothing >&2; exit 3")
        },
        Row("lonely has no address for a name server. Connect it first, or name an address.") {
            try Machine("lonely \($0.number)").nameServer { _ in nil }
        },
        Row("\"web.test\" is not an address.") { try $0.router.webServer(at: "web.test") { _ in .ok() } },
        Row("It failed to start the web server at 203.0.113.80 on router: Address already in use.") {
            for _ in 0..<2 { try $0.router.webServer(at: "203.0.113.80") { _ in .ok() } }
        },
    ]

    @Test(arguments: rows) func `is told as a sentence`(_ row: Row) throws {
        let machines = try TwoMachines()
        let error = try #require(throws: MachineError.self) { try row.act(machines) }
        // Newer kernels say the family first.
        let sentence = "\(error)".replacing(" \(machines.number)", with: "").replacing("ipv4: ", with: "")
        #expect(sentence == row.testDescription)
    }
}
