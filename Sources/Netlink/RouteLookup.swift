// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import NetworkFacts

@_implementationOnly import CLinux

/// Asking the kernel which route it would take (RTM_GETROUTE, rtnetlink(7)).
///
/// Two questions can be asked about a destination. The plain one tells the hop that is taken; the one for its match
/// tells the table's own route, with the prefix, the metric and the expiry, which the plain answer does not have
/// (rt6_fill_node gives the lifetime of the cached clone instead). IPv6 needs both, for only its routes can expire.
extension NetlinkRequester {
    /// How many destinations are asked about in one datagram: each may need two questions. More bring no gain
    /// (measured), and a default receive queue holds the answers to 256.
    package static let batch = largestBatch / 2

    /// The kernel's answer for one destination.
    package func route(_ query: RouteQuery) throws(NetlinkError) -> RouteAnswer {
        var pending = PendingAnswer()
        try ask(count: query.questions) { (number, sequence, message) in
            RouteCodec.write(query, match: number == 1, sequence: sequence, into: &message)
        } read: { (number, answer, payload) throws(WireError) in
            try pending.take(answer, payload, isMatch: number == 1, query)
        }
        return try pending.judged(for: query)
    }

    /// The kernel's answer for one destination, and what there is to tell of the route beside it.
    package func routeInDetail(
        _ query: RouteQuery
    ) throws(NetlinkError) -> (answer: RouteAnswer, details: RouteDetails) {
        var pending = PendingAnswer()
        var details = RouteDetails()
        try ask(count: 2) { (number, sequence, message) in
            RouteCodec.write(query, match: number == 1, sequence: sequence, into: &message)
        } read: { (number, answer, payload) throws(WireError) in
            try pending.take(answer, payload, isMatch: number == 1, query)
            guard case .message = answer else { return }
            let found = try RouteCodec.readDetails(payload, family: query.destination.family)
            // The match comes second, and its prefix is the route's own.
            details.prefix = found.prefix
            details.nextHopID = details.nextHopID ?? found.nextHopID
        }
        return (try pending.judged(for: query), details)
    }

    /// The kernel's answers for many destinations, in batches, in the order of the queries.
    ///
    /// - Parameter withMatch: whether to ask for the match of IPv4 routes too, which alone tells their metric.
    package func routes(
        _ queries: [RouteQuery], withMatch: Bool = false, _ body: (_ position: Int, _ answer: RouteAnswer) -> Void
    ) throws(NetlinkError) {
        for start in stride(from: 0, to: queries.count, by: Self.batch) {
            let batch = queries[start..<min(start + Self.batch, queries.count)]
            var pending = [PendingAnswer](repeating: PendingAnswer(), count: batch.count)
            // Question 2n is the plain one about destination n, 2n + 1 the one about its match.
            var questions: [Int] = []
            questions.reserveCapacity(2 * batch.count)
            for (offset, query) in batch.enumerated() {
                for kind in 0..<(withMatch ? 2 : query.questions) { questions.append(2 * offset + kind) }
            }
            try ask(count: questions.count) { (number, sequence, message) in
                let question = questions[number]
                RouteCodec.write(
                    queries[start + question / 2], match: question & 1 == 1, sequence: sequence, into: &message)
            } read: { (number, answer, payload) throws(WireError) in
                let question = questions[number]
                try pending[question / 2].take(
                    answer, payload, isMatch: question & 1 == 1, queries[start + question / 2])
            }
            for offset in pending.indices {
                body(start + offset, try pending[offset].judged(for: queries[start + offset]))
            }
        }
    }
}

extension RouteQuery {
    /// How many questions tell what decides.
    fileprivate var questions: Int {
        if case .v6 = destination { 2 } else { 1 }
    }
}

/// What has come in so far of one destination's answers.
private struct PendingAnswer {
    private var taken: RouteDecision?
    private var match: RouteDecision?
    private var error: Errno?

    mutating func take(
        _ answer: NetlinkRequester.Answer, _ payload: RawSpan, isMatch: Bool, _ query: RouteQuery
    ) throws(WireError) {
        switch answer {
        case .message:
            let decision = try RouteCodec.read(payload, family: query.destination.family)
            if isMatch { match = decision } else { taken = decision }
        case .failure(let error):
            // Where only the match failed, the plain answer stands by itself.
            if !isMatch { self.error = error }
        }
    }

    func judged(for query: RouteQuery) throws(NetlinkError) -> RouteAnswer {
        if let error {
            guard let refusal = RouteCodec.refusal(error) else { throw .refused(error) }
            return .unreachable(refusal)
        }
        guard var decision = taken else { throw .answersLost }
        if let match {
            decision.metric = match.metric ?? decision.metric
            decision.expiresInTicks = match.expiresInTicks
        }
        return RouteCodec.judge(decision, for: query)
    }
}
