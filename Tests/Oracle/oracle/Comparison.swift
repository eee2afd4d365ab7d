// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology

/// What is wrong with an answer.
struct Difference {
    /// In a few words, the same for all of a kind.
    let kind: String
    let text: String
}

/// Compares the answers about one network with those of sockets.
struct Comparison {
    let topology: Machine
    /// Whether packets can leave by a link.
    private let isReady: [String: Bool]

    /// The machine's own addresses.
    private let own: Set<String>
    /// Whether rules tell TCP from UDP.
    let namesProtocols: Bool
    /// Whether rules of IPv6 name source addresses.
    let namesSources: Bool
    /// Whether routes of IPv6 have objects as next hops.
    let hasNextHopObjects: Bool

    init(_ network: Network) throws {
        let six = network.routes.filter { $0.hasPrefix("-6") }
        namesProtocols = network.routes.contains { $0.contains("ipproto") }
        namesSources = six.contains { $0.contains("rule add") && $0.contains(" from ") }
        hasNextHopObjects = six.contains { $0.contains(" nhid ") }
        own = Set(network.addresses.map(\.text.withoutLength) + ["127.0.0.1", "::1"])
        let topology = try network.make()
        self.topology = topology
        isReady = try Dictionary(
            uniqueKeysWithValues: Set(Network.names.values).map { name in
                (name, try topology.linkFacts(name)?.readiness == .ready)
            })
    }

    /// How often each exception was met where it was due.
    private(set) var exceptions: [Exception: Int] = [:]

    /// The difference between the answer and what a socket says; nil if there is none.
    mutating func difference(_ question: Question) throws -> Difference? {
        let (explanation, result) = try topology.run { (try question.explain(), question.connect()) }
        guard let kind = judge(explanation, result, question) else { return nil }
        if let exception = exception(explanation, result, question) {
            exceptions[exception, default: 0] += 1
            return nil
        }
        let socket =
            switch result {
            case .failure(let error): "connect(2) fails: \(error)"
            case .success(let way): "a socket sends from \(way.source) by \(Network.names[way.mtu] ?? "MTU \(way.mtu)")"
            }
        let said = explanation.flags.isEmpty ? "not reachable" : "\(explanation.flags)"
        let route = [
            explanation.source.map { "from \($0)" }, explanation.interface.map { "by \($0)" },
            explanation.gateway.map { "via \($0)" },
        ].compactMap { $0 }.joined(separator: " ")
        return Difference(
            kind: "\(question.family.rawValue) \(question.transport.rawValue): \(kind) [\(explanation.reasonCode)]",
            text: "says: \(said) (\(explanation.reason)) \(route); but \(socket)")
    }

    /// What is wrong with an answer; nil if it is what the socket says.
    func judge(
        _ explanation: Explanation, _ result: Result<ConnectedSocket.Way, Errno>, _ question: Question
    ) -> String? {
        let isReachable = explanation.flags.contains(.reachable)
        switch result {
        case .failure(let error):
            return explanation.flags.isEmpty ? nil : "reachable, but connect(2) fails (\(error))"
        case .success(let way):
            let link = Network.names[way.mtu]
            let source = way.source.withoutZone
            let isOwn = link == "lo" && own.contains(question.destination.withoutZone)
            if !isOwn, let link, let zone = question.destination.zone, link != zone {
                // Sent by another link, a packet reaches another neighbour, if any (RFC 4007). Groups of next hop objects do
                // that (fib6_select_path in net/ipv6/route.c).
                return explanation.flags.isEmpty ? nil : "reachable by a link that is not the address's"
            }
            if isOwn {
                guard isReachable else { return "own address is not reachable" }
            } else if ["0.0.0.0", "::"].contains(source) || ConnectedSocket.isLoopback(source) {
                return explanation.flags.isEmpty ? nil : "reachable without an address to send from"
            } else if let link, isReady[link] != true {
                return explanation.flags.isEmpty ? nil : "reachable by a link that does not work"
            } else if !isReachable {
                return "not reachable, but a socket connects"
            }
            if let link, explanation.interface != link, !isOwn { return "another link" }
            if let said = explanation.source, said.withoutZone != source { return "another source" }
            if explanation.source == nil, !isOwn { return "no source" }
            return nil
        }
    }
}

extension String {
    var withoutZone: String { String(prefix { $0 != "%" }) }
    fileprivate var zone: String? { firstIndex(of: "%").map { String(self[index(after: $0)...]) } }
}
