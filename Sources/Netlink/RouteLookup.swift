// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux
import LinuxSystem
package import NetworkFacts

/// Asking the kernel which route it would take (RTM_GETROUTE, rtnetlink(7)).
extension Conversation {
    /// How much is asked about each destination.
    package enum Detail {
        /// What decides reachability: the route taken, and for IPv6 also when it expires.
        case decision
        /// Also the route in the table that was matched: its prefix and metric.
        case matchedRoute
    }

    /// How many destinations are asked about in one datagram. More bring no gain (measured), and a default receive
    /// queue holds 256 answers, of which each destination may need two.
    package static let batch = 32

    /// The kernel's answer for one destination.
    package func route(_ query: RouteQuery, detail: Detail = .decision) throws(NetlinkError) -> RouteAnswer {
        var answer: RouteAnswer?
        try routes(CollectionOfOne(query), detail: detail) { answer = $1 }
        guard let answer else { throw .answersLost }
        return answer
    }

    /// The kernel's answers for many destinations, in batches, in the order of the queries.
    package func routes(
        _ queries: some RandomAccessCollection<RouteQuery>, detail: Detail = .decision,
        _ body: (_ position: Int, _ answer: RouteAnswer) -> Void
    ) throws(NetlinkError) {
        var rest = queries[...]
        var position = 0
        while !rest.isEmpty {
            let answers = try answerBatch(Array(rest.prefix(Self.batch)), detail)
            for answer in answers {
                body(position, answer)
                position += 1
            }
            rest = rest.dropFirst(Self.batch)
        }
    }

    private func answerBatch(_ queries: [RouteQuery], _ detail: Detail) throws(NetlinkError) -> [RouteAnswer] {
        // The plain question tells the hop that is taken; only a match of the table's own route tells its expiry
        // (kernel: rt6_fill_node gives RTA_CACHEINFO of the cached clone otherwise).
        var questions: [(query: Int, match: Bool)] = []
        for (index, query) in queries.enumerated() {
            questions.append((index, false))
            if detail == .matchedRoute || query.destination.family == .v6 { questions.append((index, true)) }
        }
        var answers = [RouteAnswer?](repeating: nil, count: queries.count)
        var matches = [RouteDecision?](repeating: nil, count: queries.count)
        var refused: Errno?
        try ask(count: questions.count) { (number, sequence, message) in
            let question = questions[number]
            RouteCodec.write(queries[question.query], match: question.match, sequence: sequence, into: &message)
        } read: { (number, answer, payload) throws(WireError) in
            let question = questions[number]
            let family = queries[question.query].destination.family
            switch answer {
            case .message:
                let decision = try RouteCodec.read(payload, family: family)
                if question.match {
                    matches[question.query] = decision
                } else {
                    answers[question.query] = .route(decision)
                }
            case .failure(let error):
                guard !question.match else { return }
                if let refusal = RouteCodec.refusal(error) {
                    answers[question.query] = .unreachable(refusal)
                } else {
                    refused = error
                }
            }
        }
        if let refused { throw .refused(refused) }
        return queries.indices.map { index in
            guard case .route(var decision) = answers[index] else { return answers[index] ?? .unreachable(.noRoute) }
            if let match = matches[index] { decision.complete(with: match) }
            return RouteCodec.judge(decision, for: queries[index])
        }
    }
}

extension RouteDecision {
    /// Adds what only the matched route tells.
    fileprivate mutating func complete(with match: RouteDecision) {
        prefix = match.prefix
        metric = match.metric ?? metric
        nextHopID = match.nextHopID ?? nextHopID
        expiresInTicks = match.expiresInTicks
    }
}
