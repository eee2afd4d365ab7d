// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology

/// A difference that Docs/Behaviour.md describes. The oracle finds out by sockets and by `ip route get` that it is due where
/// it is met; elsewhere the same answer is wrong.
enum Exception: String, CaseIterable {
    case loopback = "a loopback address, for which an interface is ignored"
    case noRoute = "IPv4 with an interface without a route, where a socket sends into the link"
    case source = "IPv6 with an interface to which a route lookup with a source does not hold"
    case ownByLo = "IPv6 from one own address to another by lo, for which a socket finds no route"
    case otherLink = "IPv6 with an interface to which next hop objects do not hold"
    case firstHash = "IPv6 where the first lookup fails, and its hash chooses among several equal hops of the second"
    case ownHash = "TCP over IPv6 where each socket chooses anew among several equal hops"
    case refusedProbe = "TCP where rules refuse the UDP socket that tells the source"
    case divertedProbe = "TCP where rules lead the UDP socket that tells the source another way"

    /// How often it is met in 10,000 comparisons: the mean of 25 runs of 2,000, on Linux 6.18. `ownHash` is of a run on 7.2; older
    /// kernels never choose so.
    private var usualCount: Double {
        switch self {
        case .loopback: 33
        case .noRoute: 351
        case .source: 9
        case .ownByLo: 0.6
        case .otherLink: 12
        case .firstHash: 0.2
        case .ownHash: 190
        case .refusedProbe: 3.4
        case .divertedProbe: 0.2
        }
    }

    /// The most often that it may be met: three times as often as usual, and four times by chance. An exception that is met more often
    /// hides wrong answers.
    func limit(in comparisons: Int) -> Int {
        Int(3 * usualCount * Double(comparisons) / 10_000) + 4
    }
}

extension Comparison {
    /// The exception that explains why the answer is not what the socket says; nil if none is due.
    func exception(
        _ explanation: Explanation, _ result: Result<ConnectedSocket.Way, Errno>, _ question: Question
    ) -> Exception? {
        guard let interface = question.interface else {
            if isChosenByFirstHash(explanation, result, question) { return .firstHash }
            if isChosenByEachSocket(explanation, result, question) { return .ownHash }
            return exceptionOfProbe(explanation, result, question)
        }
        guard !ConnectedSocket.isLoopback(question.destination) else {
            var free = question
            free.interface = nil
            return judge(explanation, topology.run { free.connect() }, free) == nil ? .loopback : nil
        }
        guard case .success(let way) = result else {
            let isOwn = question.family == .v6 && interface == "lo" && explanation.flags.contains(.isLocalAddress)
            if isOwn, question.source != nil, hasRoute(question, from: question.source) { return .ownByLo }
            // Asked again without the source, the rule that refuses the source is not met.
            let isMissed = question.family == .v6 && namesSources && question.source != nil
            if isMissed, !hasRoute(question, from: question.source) { return .source }
            return exceptionOfProbe(explanation, result, question)
        }
        if question.family == .v4 {
            let isDue = explanation.reasonCode == "no_route_on_interface" && !hasRoute(question, from: way.source)
            return isDue ? .noRoute : exceptionOfProbe(explanation, result, question)
        }
        if Network.names[way.mtu] != interface { return hasNextHopObjects ? .otherLink : nil }
        // Without the source, a lookup holds to the interface. Where rules name sources, it says nothing then.
        let isTold = hasRoute(question, from: way.source) || !namesSources && hasRoute(question, from: nil)
        return isTold ? exceptionOfProbe(explanation, result, question) : .source
    }

    private func exceptionOfProbe(
        _ explanation: Explanation, _ result: Result<ConnectedSocket.Way, Errno>, _ question: Question
    ) -> Exception? {
        guard question.transport == .tcp, question.source == nil, namesProtocols else { return nil }
        var probe = question
        probe.transport = .udp
        switch (topology.run { probe.connect() }, result) {
        case (.failure, _): return explanation.flags.isEmpty ? .refusedProbe : nil
        case (.success(let udp), .success(let tcp)) where udp.source == tcp.source: return nil
        case (.success(let udp), _): return explanation.source == udp.source ? .divertedProbe : nil
        }
    }

    /// The kernel computes the hash of a flow once (fib6_select_path in net/ipv6/route.c), without the source if the first lookup
    /// meets a group of next hop objects. A question with the source has another hash.
    private func isChosenByFirstHash(
        _ explanation: Explanation, _ result: Result<ConnectedSocket.Way, Errno>, _ question: Question
    ) -> Bool {
        guard question.family == .v6, question.source == nil, hasNextHopObjects, case .success(let way) = result,
            let taken = Network.names[way.mtu], let said = explanation.interface, taken != said,
            ask(question, from: nil) == nil, let route = ask(question, from: way.source, ["fibmatch"])
        else { return false }
        return [taken, said].allSatisfy { route.contains(" dev \($0) ") }
    }

    /// Linux 7.2 chooses by a random number of the socket (ip6_ecmp_set_mp_hash in include/net/ipv6.h). So another socket goes
    /// the way that was told, sooner or later: by chance alone, one in seven takes even the rarest of the networks' hops.
    private func isChosenByEachSocket(
        _ explanation: Explanation, _ result: Result<ConnectedSocket.Way, Errno>, _ question: Question
    ) -> Bool {
        guard question.family == .v6, question.transport == .tcp, case .success(let way) = result,
            let taken = Network.names[way.mtu]
        else { return false }
        // The first lookup has no source where none is given; if it fails, the second has.
        let routes = [question.source, way.source].compactMap { ask(question, from: $0, ["fibmatch"]) }
        guard
            routes.contains(where: { route in
                Network.interfaces.contains { $0 != taken && route.contains(" dev \($0) ") }
            })
        else { return false }
        return (0..<100).contains { _ in judge(explanation, topology.run { question.connect() }, question) == nil }
    }

    /// Whether the tables have a route for a question with its interface, as ip-route(8) says. `fibmatch` asks for the entry of
    /// the table; without it IPv4 answers as if the destination were on the link.
    private func hasRoute(_ question: Question, from source: String?) -> Bool {
        guard let said = ask(question, from: source, question.family == .v4 ? ["fibmatch"] : []) else { return false }
        // With a source, IPv6 may answer with a route by another link.
        return question.interface.map { said.contains(" dev \($0) ") } ?? true
    }

    /// What `ip route get` says; nil if there is no route.
    private func ask(_ question: Question, from source: String?, _ options: [String] = []) -> String? {
        var words = ["ip", question.family.option, "route", "get"] + options + [question.destination.withoutZone]
        if let source { words += ["from", source.withoutZone] }
        if let interface = question.interface { words += ["oif", interface] }
        if let mark = question.mark { words += ["mark", "\(mark)"] }
        switch question.user {
        case .own: break
        case .named(let user), .thread(let user): words += ["uid", "\(user)"]
        }
        words += ["ipproto", question.transport.rawValue, "dport", "\(question.port ?? 9)"]
        return try? topology.run { try CallingThread.execute(words) }
    }
}
