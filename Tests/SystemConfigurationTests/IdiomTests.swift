// SPDX-License-Identifier: Apache-2.0

import LegacyIdioms5
import LegacyIdioms6
import SystemConfiguration
import TestTopology
import Testing

/// Runs the fixtures' client code, which is compiled in two language modes.
@Suite("Client code", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct IdiomTests {
    private let network: Machine
    private let queue = DispatchQueue(label: "idioms")
    private let calls = Calls()

    init() throws {
        network = try LegacyNetwork.make()
    }

    @Test("asks about the zero address")
    func zeroAddress() throws {
        let topology = network
        #expect(!topology.run { LegacyIdioms5.ZeroAddress.isConnectedToNetwork() })
        #expect(!topology.run { LegacyIdioms6.ZeroAddress.isConnectedToNetwork() })
        try topology.wire("eth0", address: "10.0.0.1/24")
        try topology.ip("route add default via 10.0.0.254")
        #expect(topology.run { LegacyIdioms5.ZeroAddress.isConnectedToNetwork() })
        #expect(topology.run { LegacyIdioms6.ZeroAddress.isConnectedToNetwork() })
        #expect(topology.run { LegacyIdioms5.ZeroAddress.flagsOfMemberwiseAddress() } == .reachable)
        #expect(topology.run { LegacyIdioms6.ZeroAddress.flagsOfBareAddress() } == .reachable)
        #expect(topology.run { LegacyIdioms5.ZeroAddress.flagsOfZeroIPv6() } == .reachable)
    }

    @Test("gets the length of the family")
    func lengths() {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0xC000_0207).bigEndian
        #expect(LegacyIdioms5.ZeroAddress.text(of: address) == "192.0.2.7")
        var bare = sockaddr()
        for (family, length) in [(AF_INET, 16), (AF_INET6, 28), (AF_UNIX, 16)] {
            bare.sa_family = sa_family_t(family)
            #expect(Int(bare.sa_len) == length)
        }
        #expect(sockaddr_storage().ss_len == 128)
    }

    @Test("schedules before or after setting the callback", arguments: LegacyIdioms5.QueueMonitor.Order.allCases)
    func orders(_ order: LegacyIdioms5.QueueMonitor.Order) throws {
        let host = LegacyNetwork.target
        let monitor = try #require(network.run { LegacyIdioms5.QueueMonitor(host: host, queue: queue) })
        monitor.whenChanged = { [calls] in calls.record($0) }
        for _ in 1...2 {
            #expect(monitor.start(order))
            #expect(!monitor.start(order))
            try network.set(local: true)
            #expect(try calls.next() == LegacyNetwork.local)
            #expect(monitor.flags == LegacyNetwork.local)
            monitor.stop(order)
            monitor.stop(order)
            try queue.finish()
            try network.set(local: false)
            try network.settle()
            try queue.finish()
            #expect(calls.untaken == 0)
        }
    }

    @Test("passes a weak wrapper, which its release function frees")
    func weakWrapper() throws {
        let freed = Counter()
        do {
            let monitor = LegacyIdioms6.WeakMonitor(try network.reference(), queue: queue)
            LegacyIdioms6.WeakMonitor.onWrapperFreed({ freed.increment() }, in: monitor)
            monitor.whenChanged = { [calls] in calls.record($0) }
            for round in 1...2 {
                try monitor.start()
                try network.set(local: true)
                #expect(try calls.next() == LegacyNetwork.local)
                try network.set(local: false)
                #expect(try calls.next() == [])
                monitor.stop()
                try queue.finish()
                #expect(freed.value == round)
            }
            try monitor.start()
            #expect(throws: (any Error).self) { try monitor.start() }
            try monitor.start()
        }
        try queue.finish()
        // Its deinitializer has stopped it.
        #expect(freed.value == 5)
    }

    @Test("passes a reference, which is released at the end")
    func releaseOnly() throws {
        let freed = Counter()
        do {
            let target = try network.reference()
            LegacyIdioms5.ReleaseOnlyBox.attach(
                .init(freed: { freed.increment() }) { [calls] in calls.record($0) }, to: target)
            SCNetworkReachabilitySetDispatchQueue(target, queue)
            try network.set(local: true)
            #expect(try calls.next() == LegacyNetwork.local)
            #expect(freed.value == 0)
            SCNetworkReachabilitySetDispatchQueue(target, nil)
        }
        try queue.finish()
        try network.settle()
        #expect(freed.value == 1)
    }

    @Test("passes global and nested functions, and no context")
    func shapes() throws {
        let result = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
        result.initialize(to: 0)
        defer { result.deallocate() }
        for set in [LegacyIdioms5.Callbacks.setGlobalFunction, LegacyIdioms6.Callbacks.setNestedFunction] {
            let target = try network.reference()
            set(target, result)
            SCNetworkReachabilitySetDispatchQueue(target, queue)
            try network.set(local: true)
            try network.settle()
            queue.sync { #expect(result.pointee == LegacyNetwork.local.rawValue) }
            SCNetworkReachabilitySetDispatchQueue(target, nil)
            try network.set(local: false)
        }
        let target = try network.reference()
        LegacyIdioms6.Callbacks.setWithoutContext(target) { [calls] flags, isAnswered in
            if isAnswered { calls.record(flags) }
        }
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        try network.set(local: true)
        #expect(try calls.next() == LegacyNetwork.local)
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test("listens as in tutorials")
    func listener() throws {
        let host = LegacyNetwork.target
        let listener = network.run {
            LegacyIdioms6.Listener(host: host, queue: queue) { [calls] in calls.record($0) }
        }
        listener.start()
        #expect(try calls.next() == [])
        try network.set(local: true)
        #expect(try calls.next() == LegacyNetwork.local)
        listener.stop()
        listener.stop()
    }

    @Test("reads errors")
    func errors() throws {
        #expect(LegacyIdioms5.Errors.reasonForNoTarget() == "Invalid argument")
        #expect(LegacyIdioms6.Errors.lastError() == (kSCStatusInvalidArgument, "Invalid argument"))
        #expect(try LegacyIdioms6.Errors.flagsOrThrow(network.reference("127.0.0.1")) == LegacyNetwork.local)
        #expect(network.run { LegacyIdioms5.Errors.isReachableByOlderNames("127.0.0.1") })
        #expect(!network.run { LegacyIdioms6.Errors.isReachableByOlderNames("192.0.2.1") })
    }
}
