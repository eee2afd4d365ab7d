// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import NetworkFacts

@_implementationOnly import CLinux

/// Asking the kernel which route it would take (RTM_GETROUTE, rtnetlink(7)).
extension Conversation {
    /// How much is asked about each destination.
    package enum Detail {
        /// What decides reachability: the route taken, and for IPv6 also when it expires.
        case decision
        /// Also the route in the table that was matched: its prefix and metric.
        case matchedRoute
    }

    /// How many destinations are asked about in one datagram: each may need two questions. More bring no gain
    /// (measured), and a default receive queue holds the answers to 256.
    package static let batch = largestBatch / 2

    /// The kernel's answer for one destination.
    package func route(_ query: RouteQuery, detail: Detail = .decision) throws(NetlinkError) -> RouteAnswer {
        var pending = PendingAnswer()
        try ask(count: detail.questions(query)) { (number, sequence, message) in
            RouteCodec.write(query, match: number == 1, sequence: sequence, into: &message)
        } read: { (number, answer, payload) throws(WireError) in
            try pending.take(answer, payload, isMatch: number == 1, query)
        }
        return try pending.judged(for: query)
    }

    /// The kernel's answers for many destinations, in batches, in the order of the queries.
    package func routes(
        _ queries: [RouteQuery], _ body: (_ position: Int, _ answer: RouteAnswer) -> Void
    ) throws(NetlinkError) {
        for start in stride(from: 0, to: queries.count, by: Self.batch) {
            let batch = queries[start..<min(start + Self.batch, queries.count)]
            var pending = [PendingAnswer](repeating: PendingAnswer(), count: batch.count)
            // Question 2n is the plain one about destination n, 2n + 1 the one about its match.
            var questions: [Int] = []
            for (offset, query) in batch.enumerated() {
                for kind in 0..<Detail.decision.questions(query) { questions.append(2 * offset + kind) }
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

extension Conversation.Detail {
    /// The plain question tells the hop that is taken; only a match of the table's own route tells its expiry, metric
    /// and prefix (rt6_fill_node gives the lifetime of the cached clone otherwise).
    fileprivate func questions(_ query: RouteQuery) -> Int {
        self == .matchedRoute || query.destination.family == .v6 ? 2 : 1
    }
}

/// What has come in so far of one destination's answers.
private struct PendingAnswer {
    private var taken: RouteDecision?
    private var match: RouteDecision?
    private var error: Errno?

    mutating func take(
        _ answer: Conversation.Answer, _ payload: RawSpan, isMatch: Bool, _ query: RouteQuery
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
            decision.prefix = match.prefix
            decision.metric = match.metric ?? decision.metric
            decision.nextHopID = match.nextHopID ?? decision.nextHopID
            decision.expiresInTicks = match.expiresInTicks
        }
        return RouteCodec.judge(decision, for: query)
    }
}
