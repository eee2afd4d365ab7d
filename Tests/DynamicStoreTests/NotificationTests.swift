// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import Synchronization
import TestTopology
import Testing

@testable import SystemConfigurationCore

@Suite("A session is notified", .timeLimit(.minutes(10)), .needs(.namespaces, .sysfs, .settings))
struct NotificationTests {
    private let network: StoreNetwork

    init() throws {
        network = try StoreNetwork()
        try network.topology.wire("eth0", address: "10.0.0.1/24")
    }

    private static let service = ServiceIdentifier(interface: "eth0").description

    @Test("of nothing at first")
    func first() throws {
        let client = try StoreClient(in: network, patterns: StoreClient.system)
        defer { client.end() }
        #expect(try network.keys(told: client) {} == [])
    }

    @Test("of exactly the keys that a change of the network changes")
    func changes() throws {
        let client = try StoreClient(in: network, patterns: StoreClient.system)
        defer { client.end() }
        func expect(_ keys: Set<String>, after commands: String) throws {
            let told = try network.keys(told: client) { try network.ip(commands) }
            #expect(told == keys, "\(commands)")
        }
        let route: Set = ["State:/Network/Global/IPv4", "State:/Network/Service/\(Self.service)/IPv4"]
        let address: Set = ["State:/Network/Interface/eth0/IPv4", "State:/Network/Service/\(Self.service)/IPv4"]
        let bridge: Set = ["State:/Network/Interface", "State:/Network/Interface/br0/Link"]
        let bridgeAddress: Set = ["State:/Network/Interface/br0/IPv4"]
        try expect(route, after: "route add default via 10.0.0.254")
        try expect(address, after: "address add 10.0.0.2/24 dev eth0")
        try expect(address, after: "address del 10.0.0.2/24 dev eth0")
        try expect(route, after: "route replace default via 10.0.0.253")
        try expect(route, after: "route del default")
        try expect(bridge, after: "link add br0 type bridge")
        try expect(bridgeAddress, after: "address add 10.9.0.1/24 dev br0")
        try expect(bridge.union(bridgeAddress), after: "link del br0")
        try expect([], after: "link set eth0 mtu 1400")
        try network.topology.setOperationalState(.dormant, of: "eth0")
        #expect(try network.keys(told: client) {} == ["State:/Network/Interface/eth0/Link"])
    }

    @Test("of the keys it watches only")
    func watched() throws {
        let client = try StoreClient(
            in: network, keys: ["State:/Network/Global/IPv4"],
            patterns: ["State:/Network/Interface/[^/]+/Link"])
        defer { client.end() }
        let keys = try network.keys(told: client) {
            try network.ip("route add default via 10.0.0.254")
            try network.ip("link add br0 type bridge")
        }
        #expect(keys == ["State:/Network/Global/IPv4", "State:/Network/Interface/br0/Link"])
        #expect(client.session.watch(["Setup:/System"], patterns: []))
        #expect(try network.keys(told: client) { try network.ip("link del br0") } == [])
    }

    @Test("of nothing in a storm of routes that it does not use")
    func storm() throws {
        try network.ip("route add default via 10.0.0.254")
        let client = try StoreClient(in: network, patterns: StoreClient.system)
        defer { client.end() }
        let index = try network.topology.index(of: "eth0")
        let keys = try network.keys(told: client) {
            let changer = try Changer(in: network.topology)
            for verb in [Change.Verb.add, .delete] {
                for number in 0..<5000 {
                    try changer.apply(
                        .route(verb, "172.\(16 + number / 256).\(number % 256).0/24", via: "10.0.0.9", through: index))
                }
            }
        }
        #expect(keys == [])
        #expect(client.calls.all.isEmpty)
    }

    @Test("of name servers and search domains")
    func names() throws {
        try network.ip("route add default via 10.0.0.254")
        let client = try StoreClient(in: network, patterns: StoreClient.system)
        defer { client.end() }
        let dns: Set<String> = ["State:/Network/Global/DNS", "State:/Network/Service/\(Self.service)/DNS"]
        func configure(_ text: String) throws {
            try network.topology.run("printf '\(text)' > /etc/new && mv /etc/new /etc/resolv.conf")
        }
        try configure("nameserver 192.0.2.53\\n")
        #expect(try Set(client.calls.next()) == dns)
        #expect(
            client.value(of: "State:/Network/Global/DNS") == ["ServerAddresses": ["192.0.2.53"]])
        try configure("nameserver 192.0.2.53\\nsearch example.com\\n")
        #expect(try Set(client.calls.next()) == dns)
        #expect(
            client.value(of: "State:/Network/Global/DNS") == [
                "ServerAddresses": ["192.0.2.53"], "SearchDomains": ["example.com"], "DomainName": "example.com",
            ])
        try configure("nameserver 192.0.2.53\\nsearch example.com\\n# the same\\n")
        // What is told next is another change.
        try network.ip("address add 127.0.1.1/8 dev lo")
        #expect(try client.calls.next() == ["State:/Network/Interface/lo/IPv4"])
    }

    @Test("anew where its loop has failed, from its next choice of keys on")
    func failed() async {
        await #expect(processExitsWith: .success) {
            let network = try StoreNetwork()
            let key = "State:/Network/Interface/lo/IPv4"
            let client = try StoreClient(in: network, keys: [key])
            let source = network.topology.run { PathSource() }
            let engine = try source.engine()
            FaultInjection.fail(.epollWait, with: .badDescriptor)
            engine.loop.enqueue {}
            try ProcessState.wait("the loop has ended") { engine.loop.failure != nil }
            try #require(network.topology.run { client.session.watch([key], patterns: []) })
            try network.ip("address add 127.0.1.1/8 dev lo")
            try #require(client.calls.next() == [key])
            client.end()
        }
    }

    /// In a process of its own, because the environment is the process's.
    @Test("of no proxies: the environment is not read while it watches")
    func proxies() async {
        await #expect(processExitsWith: .success) {
            let network = try StoreNetwork()
            let client = try StoreClient(in: network, patterns: StoreClient.system)
            defer { client.end() }
            unsafe setenv("http_proxy", "http://proxy.example:3128", 1)
            #expect(try network.keys(told: client) {} == [])
            #expect(
                client.value(of: StoreKey.proxies) == ["HTTPEnable": 1, "HTTPProxy": "proxy.example", "HTTPPort": 3128])
        }
    }

    @Test("of the machine's names and of the user at its seat")
    func machine() throws {
        let client = try StoreClient(in: network, patterns: StoreClient.system)
        defer { client.end() }
        try network.write("machine-info", "PRETTY_HOSTNAME=\"Ada's \\\"Computer\\\"\"\n")
        #expect(try client.calls.next() == ["Setup:/System"])
        #expect(client.value(of: "Setup:/System")?["ComputerName"] == "Ada's \"Computer\"")
        try network.write("hostname", "# comment\nhost.example\n")
        #expect(try client.calls.next() == ["Setup:/System"])
        #expect(client.value(of: "Setup:/System")?["HostName"] == "host.example")

        #expect(client.value(of: "State:/Users/ConsoleUser") == nil)
        try network.write("systemd/sessions/3", "UID=1000\nUSER=ada\nCLASS=user\n")
        try network.write("systemd/seats/seat0", "IS_SEAT0=1\nACTIVE=3\nACTIVE_UID=1000\n")
        #expect(try client.calls.next() == ["State:/Users/ConsoleUser"])
        #expect(client.value(of: "State:/Users/ConsoleUser") == ["Name": "ada", "UID": 1000])
        try network.write("systemd/sessions/c1", "UID=111\nUSER=gdm\nCLASS=greeter\n")
        try network.write("systemd/seats/seat0", "IS_SEAT0=1\nACTIVE=c1\nACTIVE_UID=111\n")
        #expect(try client.calls.next() == ["State:/Users/ConsoleUser"])
        #expect(client.value(of: "State:/Users/ConsoleUser") == nil)
        try network.remove("systemd/seats/seat0")
        // What is told next is another change.
        try network.ip("address add 127.0.1.1/8 dev lo")
        #expect(try client.calls.next() == ["State:/Network/Interface/lo/IPv4"])
    }

    /// In its own process: a child that another test starts holds the written file open until its execve, and closing that is an
    /// event, too.
    @Test("of the machine's names once, and its loop sleeps then, also if inotify was exhausted at first")
    func machineOnce() async {
        await #expect(processExitsWith: .success) {
            for isExhausted in [false, true] {
                if isExhausted { FaultInjection.fail(.inotifyCreate, with: .tooManyOpenFiles) }
                let network = try StoreNetwork()
                try network.write("hostname", "host.example\n")
                let loop = try EventLoop()
                let changes = Counter()
                let watch = ReceivedValues<MachineWatch>()
                loop.enqueue { [files = network.files] in
                    watch.record(MachineWatch(files, on: loop) { changes.increment() })
                }
                loop.turn()
                let kept = try watch.next()
                // As after a change of the network.
                loop.enqueue { kept.lookWithoutEvents() }
                loop.turn()
                for count in 1...2 {
                    try network.write("hostname", "host\(count).example\n")
                    for _ in 0..<5 { loop.turn() }
                    try #require(changes.value == count)
                    try #require(topology_wait_readable(loop.rawDescriptor, 0) == 0, "it would be woken again")
                }
                loop.enqueue { kept.end() }
                loop.stop()
                loop.turn()
            }
        }
    }

    /// Another session keeps the engine. What watches the files again may get the descriptors that were closed.
    @Test("of the machine's names by each of several sessions, one after the other")
    func oneAfterTheOther() throws {
        let other = try StoreClient(in: network, keys: ["State:/Network/Global/IPv4"])
        defer { other.end() }
        for number in 0..<10 {
            let client = try StoreClient(in: network, patterns: StoreClient.system)
            // It watches.
            #expect(try network.keys(told: client) {} == [])
            try network.write("machine-info", "PRETTY_HOSTNAME=host\(number)\n")
            #expect(try client.calls.next() == ["Setup:/System"])
            client.end()
        }
    }

    @Test("once for several changes while its queue is busy")
    func coalescing() throws {
        let client = try StoreClient(in: network, patterns: StoreClient.system)
        defer { client.end() }
        client.calls.queue.suspend()
        let links = (0..<5).map { "State:/Network/Interface/br\($0)/Link" }
        let keys = ["State:/Network/Interface"] + links + ["State:/Network/Interface/eth0/IPv4"]
        do {
            defer { client.calls.queue.resume() }
            for number in 0..<5 {
                try network.ip("address add 10.0.1.\(number)/24 dev eth0")
                try network.ip("link add br\(number) type bridge")
            }
            try network.topology.settle()
            #expect(client.session.state.withLock(\.changed) == Set(keys))
        }
        try client.calls.finishDeliveries()
        #expect(client.calls.all == [keys])
    }

    /// In C the call would use what the client has freed.
    @Test("of nothing once it is unscheduled, though the call is on its queue already")
    func unscheduledLate() throws {
        let key = "State:/Network/Interface/eth0/IPv4"
        let client = try StoreClient(in: network, keys: [key])
        client.calls.queue.suspend()
        do {
            defer { client.calls.queue.resume() }
            try network.ip("address add 10.0.1.1/24 dev eth0")
            try WaitLimit.wait(for: "the change") { client.session.state.withLock { $0.delivery != .none } }
            client.end()
        }
        try client.calls.finishDeliveries()
        #expect(client.calls.untaken == 0)
    }

    @Test("when it is scheduled again, though it was unscheduled with a call on its queue")
    func scheduledAgain() throws {
        let key = "State:/Network/Interface/eth0/IPv4"
        let client = try StoreClient(in: network, keys: [key])
        defer { client.end() }
        client.calls.queue.suspend()
        do {
            defer { client.calls.queue.resume() }
            try network.ip("address add 10.0.1.1/24 dev eth0")
            try WaitLimit.wait(for: "the change") { client.session.state.withLock { $0.delivery != .none } }
            #expect(client.session.setQueue(nil))
            #expect(client.session.setQueue(.queue(client.calls.queue)))
        }
        #expect(try client.calls.next() == [key])
    }

    @Test("of no more once it is unscheduled, and can ask for the keys itself")
    func unscheduled() throws {
        let key = "State:/Network/Interface/eth0/IPv4"
        let client = try StoreClient(in: network, keys: [key])
        #expect(client.session.setQueue(nil))
        try network.ip("address add 10.0.1.1/24 dev eth0")
        var keys: [String] = []
        try WaitLimit.wait(for: "the change") {
            keys = client.session.takeChangedKeys()
            return !keys.isEmpty
        }
        #expect(keys == [key])
        #expect(client.session.takeChangedKeys() == [])
        try network.ip("address del 10.0.1.1/24 dev eth0")
        #expect(client.session.setQueue(.queue(client.calls.queue)))
        #expect(try client.calls.next() == [key])
        client.end()
        try client.calls.finishDeliveries()
        #expect(client.calls.untaken == 0)
    }
}
