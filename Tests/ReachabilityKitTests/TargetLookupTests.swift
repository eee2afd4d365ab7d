// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// The questions for one target, without a kernel.
@Suite("The lookup of a target")
struct TargetLookupTests {
    private static let two = InterfaceIndex(2)!
    private static let three = InterfaceIndex(3)!
    private static let gateway = IPAddress(text: "10.0.0.254")
    private static let source = IPAddress(text: "10.0.0.1")

    private static let link = LinkFacts(
        index: two, name: "eth0", hardwareType: 1, flags: [.up, .running, .broadcast], operationalState: .up
    ).state

    private static func circumstances(
        _ rules: RoutingRules = [], user: UInt32? = nil, socket: SocketDefaults.Values = .init()
    ) -> TargetLookup.Circumstances {
        TargetLookup.Circumstances(rules: rules, userID: user, socket: socket)
    }

    private static func begun(_ target: Target, _ keys: RoutingKeys = RoutingKeys()) -> TargetLookup {
        var lookup = TargetLookup(target, keys: keys)
        lookup.begin { $0 == InterfaceName("eth0") ? two : nil }
        return lookup
    }

    /// The first question.
    private func question(
        _ target: Target, _ keys: RoutingKeys = RoutingKeys(), socket: SocketDefaults.Values = .init()
    ) -> RouteQuery {
        var lookup = Self.begun(target, keys)
        return lookup.question(under: Self.circumstances(socket: socket))
    }

    private func question(
        _ text: String, _ keys: RoutingKeys = RoutingKeys(), socket: SocketDefaults.Values = .init()
    ) throws -> RouteQuery {
        try question(.address(#require(AddressText(text)).scoped()), keys, socket: socket)
    }

    private static func route(
        _ kind: RouteDecision.Kind = .unicast, source: IPAddress? = Self.source, hops: Bool = false,
        to prefix: Prefix? = nil, expiresInTicks: UInt32? = nil
    ) -> RouteAnswer {
        var decision = RouteDecision(
            kind: kind, family: prefix?.base.family ?? .v4, interface: two, gateway: gateway, source: source)
        decision.match = RouteDecision.Match()
        decision.match?.hasSeveralHops = hops
        decision.match?.prefix = prefix
        decision.match?.expiresInTicks = expiresInTicks
        return .route(decision)
    }

    // MARK: The keys of a question

    @Test func `has the values of a new socket, unless an option replaces them`() throws {
        let socket = SocketDefaults.Values(mark: 9, interface: Self.two)
        let plain = try question("192.0.2.1", socket: socket)
        #expect(plain.mark == 9 && plain.interface == Self.two && plain.boundInterface == Self.two)
        let keys = RoutingKeys(interface: .index(Self.three), mark: 7)
        let chosen = try question("192.0.2.1", keys, socket: socket)
        #expect(chosen.mark == 7 && chosen.interface == Self.three && chosen.boundInterface == Self.three)
        let scoped = try question("fe80::5%3", socket: socket)
        #expect(scoped.interface == Self.three && scoped.boundInterface == Self.two)
        // Every socket is bound to the control group's interface, also one that goes to a loopback address.
        #expect(try question("127.0.0.1", socket: socket).interface == Self.two)
        #expect(try question("127.0.0.1", RoutingKeys(interface: .index(Self.three)), socket: socket).interface == nil)
    }

    @Test func `is bound to the interface that its address lives on`() throws {
        let keys = RoutingKeys(interface: .index(Self.three), mark: 7, userID: 8)
        #expect(try question("fe80::1%2", keys).interface == Self.two)
        #expect(try question("fe80::1%eth0", keys).interface == Self.two)
        #expect(try question("fe80::1", keys).interface == Self.three)
        #expect(try question("ff02::1%2", keys).interface == Self.two)
        // A zone says nothing about a global address; one that is on loopback is bound to nothing.
        #expect(try question("2001:db8::1%2", keys).interface == Self.three)
        #expect(try question("::1%2", keys).interface == nil)
        #expect(try question("127.0.0.1", keys).interface == nil)
    }

    @Test func `speaks TCP, but UDP to multicast and broadcast addresses, and has the port that was given`() throws {
        #expect(try question("192.0.2.1").transport == .tcp)
        #expect(try question("192.0.2.1", RoutingKeys(transport: .udp, port: 53)).transport == .udp)
        #expect(try question("192.0.2.1", RoutingKeys(port: 443)).port == 443)
        for address in ["224.0.0.1", "255.255.255.255", "ff02::1%eth0"] {
            #expect(try question(address).transport == .udp, "\(address)")
        }
    }

    @Test(arguments: ["fe80::1%eth9", "fe80::1%eth0"])
    func `ends at once where a named interface does not exist`(_ text: String) throws {
        let keys = text.hasSuffix("9") ? RoutingKeys() : RoutingKeys(interface: Scope("eth9"))
        let lookup = try Self.begun(.address(#require(AddressText(text)).scoped()), keys)
        #expect(lookup.namesInterface)
        #expect(lookup.family == nil)
        #expect(lookup.result == .unreachable(.interfaceMissing))
    }

    // MARK: Asking again (D31)

    /// Answers every question with `answers`, the last one again and again. Returns the questions.
    private func asked(
        _ text: String, _ rules: RoutingRules = [], _ answers: [RouteAnswer], found: IPAddress? = nil,
        _ keys: RoutingKeys = RoutingKeys()
    ) throws -> (questions: [RouteQuery], lookup: TargetLookup) {
        var lookup = try Self.begun(.address(#require(AddressText(text)).scoped()), keys)
        var questions: [RouteQuery] = []
        while lookup.family != nil, questions.count < 5 {
            questions.append(lookup.question(under: Self.circumstances(rules)))
            lookup.take(answers[min(questions.count, answers.count) - 1], link: Self.link)
            if lookup.seeksSource != nil { lookup.take(source: found) }
        }
        return (questions, lookup)
    }

    @Test func `asks an IPv4 address again with the source only where that may matter`() throws {
        #expect(try asked("192.0.2.1", [], [Self.route()]).questions.count == 1)
        #expect(try asked("192.0.2.1", [.users, .protocols], [Self.route()]).questions.count == 1)
        let mayDiffer: [(RoutingRules, RouteAnswer)] = [(.sources, Self.route()), ([], Self.route(hops: true))]
        for (rules, answer) in mayDiffer {
            let (questions, lookup) = try asked("192.0.2.1", rules, [answer, .unreachable(.prohibited)])
            #expect(questions.map(\.source) == [nil, Self.source])
            #expect(lookup.result == .unreachable(.refused(.prohibited)), "the second answer counts")
        }
        #expect(try asked("192.0.2.1", .sources, [Self.route(source: nil)]).questions.count == 1)
        #expect(try asked("192.0.2.1", .sources, [.unreachable(.noRoute)]).questions.count == 1)
    }

    /// A rule may then lead to a table that has a route by the interface.
    @Test func `asks an IPv4 address without a route by the interface again where rules name sources`() throws {
        let bound = RoutingKeys(interface: .index(Self.two))
        let answers = [RouteAnswer.unreachable(.noRouteOnInterface), Self.route()]
        let (questions, lookup) = try asked("192.0.2.1", .sources, answers, found: Self.source, bound)
        #expect(questions.map(\.source) == [nil, Self.source])
        #expect(lookup.result.flags == .reachable)
        #expect(try asked("192.0.2.1", .users, answers, found: Self.source, bound).questions.count == 1)
        #expect(try asked("192.0.2.1", .sources, answers, found: nil, bound).lookup.result.flags == [])
    }

    /// The kernel refuses with the route of a source that a bound socket does not see.
    @Test func `asks a bound IPv6 question again without its source after a refusal, unless rules name any`() throws {
        let source = IPAddress(text: "2001:db8::1")
        let answers = [RouteAnswer.unreachable(.unreachable), Self.route(source: nil)]
        func lookedUp(_ rules: RoutingRules, _ interface: Scope?) throws -> (questions: [RouteQuery], TargetLookup) {
            var lookup = TargetLookup(
                .pair(local: source, remote: IPAddress(text: "2001:db8:1::1")), keys: RoutingKeys(interface: interface))
            lookup.begin { _ in nil }
            _ = lookup.question(under: Self.circumstances(rules))
            lookup.take(Self.route(.local), link: nil)
            var questions: [RouteQuery] = []
            while lookup.family != nil, questions.count < 5 {
                questions.append(lookup.question(under: Self.circumstances(rules)))
                lookup.take(answers[min(questions.count, 2) - 1], link: Self.link)
            }
            return (questions, lookup)
        }
        let (questions, lookup) = try lookedUp([], .index(Self.two))
        #expect(questions.map(\.source) == [source, nil])
        #expect(lookup.result.flags == .reachable && lookup.answer?.route?.source == source)
        #expect(try lookedUp(.sources, .index(Self.two)).questions.count == 1)
        #expect(try lookedUp([], nil).questions.count == 1)
    }

    @Test func `does not ask again from a source that was given, or whether an address is the machine's own`() {
        var lookup = Self.begun(.pair(local: Self.source, remote: IPAddress(text: "192.0.2.1")))
        _ = lookup.question(under: Self.circumstances(.sources))
        lookup.take(Self.route(.local), link: nil)
        let second = lookup.question(under: Self.circumstances(.sources))
        #expect(second.source == Self.source && second.destination == IPAddress(text: "192.0.2.1"))
        lookup.take(Self.route(hops: true), link: Self.link)
        #expect(lookup.family == nil && lookup.result.flags == .reachable)
    }

    @Test func `asks an IPv6 address again after a refusal, with the source that a socket tells`() throws {
        let source = IPAddress(text: "2001:db8::1")
        let (questions, lookup) = try asked(
            "2001:db8:1::1", [], [.unreachable(.noRoute), Self.route(source: source)], found: source)
        #expect(questions.map(\.source) == [nil, source])
        #expect(lookup.result.flags == .reachable)
        let (once, refused) = try asked("2001:db8:1::1", [], [.unreachable(.prohibited)], found: nil)
        #expect(once.count == 1 && refused.result == .unreachable(.refused(.prohibited)))
        #expect(try asked("2001:db8:1::1", .sources, [Self.route(source: source)]).questions.count == 1)
        #expect(try asked("2001:db8:1::1", [], [.unreachable(.familyUnsupported)], found: source).questions.count == 1)
        #expect(try asked("fe80::1", [], [.unreachable(.noRoute)], found: source).questions.count == 1)
    }

    @Test func `asks about a network's broadcast address again as UDP, if rules name protocols`() throws {
        let transports = try asked("10.0.0.255", .protocols, [Self.route(.broadcast)]).questions.map(\.transport)
        #expect(transports == [.tcp, .udp])
        #expect(try asked("10.0.0.255", [], [Self.route(.broadcast)]).questions.count == 1)
    }

    @Test func `names the user only if rules do, and says so in the result`() {
        for (rules, given, expected) in [(RoutingRules.users, nil, 1000), ([], nil, nil), (.users, 7, 7)]
            as [(RoutingRules, UInt32?, UInt32?)]
        {
            var lookup = Self.begun(.address(IPAddress(text: "192.0.2.1")), RoutingKeys(userID: given))
            let user: UInt32? = rules.contains(.users) ? 1000 : nil
            #expect(lookup.question(under: Self.circumstances(rules, user: user)).userID == expected)
            lookup.take(Self.route(), link: Self.link)
            #expect(lookup.result.user == (given == nil ? expected : nil))
            let other = Verdict.unreachable(.interfaceMissing)
            #expect(other.better(lookup.result).user == lookup.result.user)
            #expect(lookup.result.better(other).user == lookup.result.user)
        }
    }

    // MARK: Pairs and the default path

    @Test func `asks for IPv6's default path only if IPv4's does not work, and takes the better`() {
        for (answer, families, flags) in [
            (Self.route(), [AddressFamily.v4], ReachabilityFlags.reachable),
            (.unreachable(.noRoute), [.v4, .v4, .v6, .v6], []),
        ] {
            var lookup = Self.begun(.defaultPath)
            var asked: [AddressFamily] = []
            while let family = lookup.family, asked.count < 9 {
                asked.append(family)
                _ = lookup.question(under: Self.circumstances())
                lookup.take(answer, link: Self.link)
                if lookup.seeksSource != nil { lookup.take(source: nil) }
            }
            #expect(asked == families && lookup.result.flags == flags)
            #expect(lookup.result.involvesIPv6 == families.contains(.v6))
        }
    }

    /// 0.0.0.1 and 2000:: stand for the default path only where nothing but a route to everything, or to a half, covers them.
    @Test func `asks for the default path again where the first address says nothing about it`() {
        func asked(_ family: AddressFamily, first: RouteAnswer) -> (addresses: [String], lookup: TargetLookup) {
            var lookup = Self.begun(.defaultPathOf(family))
            var addresses: [String] = []
            while lookup.family != nil, addresses.count < 5 {
                addresses.append("\(lookup.question(under: Self.circumstances()).destination)")
                lookup.take(addresses.count == 1 ? first : Self.route(), link: Self.link)
                if lookup.seeksSource != nil { lookup.take(source: nil) }
            }
            return (addresses, lookup)
        }
        for prefix in ["0.0.0.0/0", "0.0.0.0/1"] {
            #expect(asked(.v4, first: Self.route(to: Prefix(text: prefix))).addresses == ["0.0.0.1"])
        }
        for prefix in ["::/0", "2000::/3"] {
            #expect(asked(.v6, first: Self.route(to: Prefix(text: prefix))).addresses == ["2000::"])
        }
        for first in [Self.route(to: Prefix(text: "0.0.0.0/2")), .unreachable(.blackhole)] {
            let (addresses, lookup) = asked(.v4, first: first)
            #expect(addresses == ["0.0.0.1", "198.41.0.4"] && lookup.result.flags == .reachable)
        }
        for first in [Self.route(to: Prefix(text: "2000::/4")), .unreachable(.noRoute)] {
            let (addresses, lookup) = asked(.v6, first: first)
            #expect(addresses == ["2000::", "2001:503:ba3e::2:30"] && lookup.result.flags == .reachable)
        }
        // When the first route ends, the first address may decide.
        let ending = asked(.v6, first: Self.route(to: Prefix(text: "2000::/4"), expiresInTicks: 5)).lookup
        #expect(ending.result.lifetime == .ends(inTicks: 5))
    }

    @Test func `has the numbers of the interfaces that the addresses of a pair name`() throws {
        let addresses = try ["fe80::1%eth0", "fe80::5%eth0"].map { try #require(AddressText($0)).scoped() }
        var lookup = Self.begun(.pair(local: addresses[0], remote: addresses[1]))
        #expect(lookup.question(under: Self.circumstances()).interface == Self.two)
        lookup.take(Self.route(.local), link: nil)
        #expect(lookup.question(under: Self.circumstances()).interface == Self.two)
    }

    @Test func `asks nothing more where the local address is not the machine's own`() {
        var lookup = Self.begun(.pair(local: Self.source, remote: IPAddress(text: "192.0.2.1")))
        _ = lookup.question(under: Self.circumstances())
        lookup.take(Self.route(), link: Self.link)
        #expect(lookup.family == nil && lookup.result == .unreachable(.notOurAddress))
    }

    // MARK: Lifetimes

    /// The kernel rounds down to whole ticks.
    @Test func `a route that ends in some ticks counts as gone after one more, and may be gone before`() {
        let now = BootTime(nanoseconds: 1_000_000_000)
        let tick = Duration.nanoseconds(1_000_000_000 / clockTicksPerSecond)
        let lifetime = RouteLifetime.ends(inTicks: 5)
        #expect(lifetime.end(now: now, known: .distantFuture).map { $0 > now.advanced(by: tick * 6) } == true)
        #expect(lifetime.use(askedAt: now, before: nil) == .until(now.advanced(by: tick * 5)))
    }

    /// When either of two answers ends, another one may be the best.
    @Test func `that takes two answers ends when the first of them does`() {
        let endless = Verdict(flags: .reachable, reason: .onLink)
        var ending = Verdict.unreachable(.linkBroken(.down))
        for (lifetime, other, first) in [
            (RouteLifetime.ends(inTicks: 5), RouteLifetime.endless, RouteLifetime.ends(inTicks: 5)),
            (.ends(inTicks: 5), .ends(inTicks: 7), .ends(inTicks: 5)), (.uncertain, .uncertain, .uncertain),
            // Otherwise the answer would be kept for good as soon as the first route has turned out to be endless.
            (.uncertain, .ends(inTicks: 7), .ends(inTicks: 0)),
            (.uncertain, .endless, .uncertain), (.endless, .endless, .endless),
        ] {
            var best = endless
            (best.lifetime, ending.lifetime) = (other, lifetime)
            #expect(best.better(ending).lifetime == first)
            #expect(ending.better(best).lifetime == first)
            #expect(best.better(ending) == endless)
        }
    }

    /// In its last tick a route seems to have no lifetime.
    @Test("a route that seems to have no lifetime ends when it was about to, and is kept from the second answer on")
    func lastTick() {
        let now = BootTime(nanoseconds: 1_000_000_000)
        let tick = Duration.nanoseconds(1_000_000_000 / clockTicksPerSecond)
        let (soon, later) = (now.advanced(by: tick * 2), now.advanced(by: tick * 5))
        #expect(RouteLifetime.uncertain.end(now: now, known: soon) == soon)
        #expect(RouteLifetime.uncertain.end(now: now, known: later) == nil)
        #expect(RouteLifetime.endless.end(now: now, known: soon) == nil)
        #expect(RouteLifetime.uncertain.use(askedAt: now, before: nil) == .notYet(since: now))
        #expect(RouteLifetime.uncertain.use(askedAt: later, before: .notYet(since: now)) == .always)
        #expect(RouteLifetime.uncertain.use(askedAt: now, before: .notYet(since: now)) == .notYet(since: now))
        #expect(RouteLifetime.uncertain.use(askedAt: now, before: .always) == .always)
        #expect(RouteLifetime.endless.use(askedAt: now, before: .notYet(since: now)) == .always)
    }
}
