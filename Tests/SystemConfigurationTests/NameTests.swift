// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import SystemConfigurationCore
import TestTopology
import Testing

@testable import SystemConfiguration

/// N2 to N7: names that a scripted server answers, with callbacks on a queue and on a run loop.
@Suite("A target by name", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
final class NameTests {
    private let network: Machine
    private let server: NameServer
    private let calls = Calls()

    init() throws {
        let network = try LegacyNetwork.make()
        self.network = network
        server = network.run {
            NameServer { question in
                let addresses: [String]
                switch (question.name, question.isA) {
                case ("good.example", true): addresses = ["127.0.0.1"]
                case ("good.example", false), ("mixed.example", false), ("first.example", false): addresses = []
                case ("mixed.example", true): addresses = ["192.0.2.7", "127.0.0.1"]
                case ("bad.example", true): addresses = ["192.0.2.7", "198.51.100.1"]
                case ("bad.example", false): addresses = []
                // Both are reachable. After sorting, the one behind the gateway comes first.
                case ("first.example", true): addresses = ["127.0.0.1", "10.9.9.9"]
                default: return .fail(rcode: 3)
                }
                return .answer(addresses.map { .address(question.name, IPAddress(text: $0)) })
            }
        }
    }

    deinit {
        server.stop()
    }

    private func target(_ name: String, optimistic: Bool = false) throws -> SCNetworkReachability {
        try network.run {
            var options = ReachabilityOptions()
            options.nameServers = ["127.0.0.1:\(server.port)"]
            if optimistic { options.resolutionPolicy = .optimistic }
            let target = SCNetworkReachability(
                LegacyTarget(try ReachabilityRef(lenientHostname: name, options: options)))
            let calls = self.calls
            SCNetworkReachabilitySetCallback(target, { _, flags, _ in calls.record(flags) }, nil)
            return target
        }
    }

    private func flags(_ target: SCNetworkReachability) -> UInt32? {
        var flags = SCNetworkReachabilityFlags()
        return SCNetworkReachabilityGetFlags(target, &flags) ? flags.rawValue : nil
    }

    @Test(
        "N3 to N6: is called back when it is resolved, with the best address's flags",
        arguments: [
            ("good.example", 0x30002), ("mixed.example", 0x30002), ("bad.example", 0), ("none.example", 0),
        ] as [(String, UInt32)], [false, true])
    func firstCallback(_ answer: (name: String, flags: UInt32), onRunLoop: Bool) throws {
        let target = try target(answer.name)
        if onRunLoop {
            let thread = try LoopThread()
            #expect(SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode))
            #expect(try calls.next().rawValue == answer.flags)
            #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode))
            thread.stop()
        } else {
            let queue = DispatchQueue(label: "names")
            #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
            #expect(try calls.next().rawValue == answer.flags)
            #expect(flags(target) == answer.flags)
            #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        }
        #expect(calls.untaken == 0)
    }

    @Test("N7: the first reachable address wins over a direct one")
    func firstWins() throws {
        try network.wire("eth0", address: "10.0.0.1/24")
        try network.ip("route add default via 10.0.0.254")
        #expect(flags(try target("first.example")) == 0x2)
    }

    @Test("N2: unscheduled and unknown has no flags; with the optimistic policy the default route's")
    func unscheduled() throws {
        #expect(flags(try target("none.example")) == 0)
        let asked = server.questions.count
        #expect(asked > 0)
        #expect(flags(try target("other.example", optimistic: true)) == 0)
        try network.wire("eth0", address: "10.0.0.1/24")
        try network.ip("route add default via 10.0.0.254")
        #expect(flags(try target("other.example", optimistic: true)) == 0x2)
        #expect(server.questions.count == asked)
    }

    @Test("scheduled does not wait: until it is resolved it has the default route's flags")
    func pending() throws {
        server.setScript { _ in .silence }
        let target = try target("slow.example")
        SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "names"))
        #expect(flags(target) == 0)
        try network.wire("eth0", address: "10.0.0.1/24")
        try network.ip("route add default via 10.0.0.254")
        #expect(flags(target) == 0x2)
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }
}
