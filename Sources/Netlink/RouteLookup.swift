// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import NetworkFacts

@_implementationOnly import CLinux

/// Requests for the route that the kernel would take (RTM_GETROUTE, rtnetlink(7)).
///
/// There are two kinds of request for a destination. The plain one returns the hop that is taken. The one for the match
/// returns the route in the table, with its prefix, metric and expiry, which the plain answer lacks (rt6_fill_node returns
/// the lifetime of the cached clone instead). IPv6 needs both, because only IPv6 routes can expire.
extension NetlinkRequester {
    /// The number of destinations in a datagram; each may need two requests. More bring no gain (measured). A receive
    /// queue of the default size holds 256 answers.
    package static var batch: Int { largestBatch / 2 }

    /// The kernel's answer for one destination.
    package func route(_ query: RouteQuery) throws(NetlinkError) -> RouteAnswer {
        var pending = PendingAnswer()
        try ask(count: query.requestCount) { (number, sequence, message) in
            RouteCodec.write(query, match: number == 1, sequence: sequence, into: &message)
        } read: { (number, answer, payload) throws(WireError) in
            try pending.add(answer, payload, isMatch: number == 1, query)
        }
        return try pending.answer(to: query)
    }

    /// The kernel's answer for one destination, with further facts about the route.
    package func routeInDetail(
        _ query: RouteQuery
    ) throws(NetlinkError) -> (answer: RouteAnswer, details: RouteDetails) {
        var pending = PendingAnswer()
        var details = RouteDetails()
        try ask(count: 2) { (number, sequence, message) in
            RouteCodec.write(query, match: number == 1, sequence: sequence, into: &message)
        } read: { (number, answer, payload) throws(WireError) in
            try pending.add(answer, payload, isMatch: number == 1, query)
            guard case .message = answer else { return }
            let found = try RouteCodec.readDetails(payload, family: query.destination.family)
            // The match comes second, and has the prefix of the route itself.
            details.prefix = found.prefix
            details.nextHopID = details.nextHopID ?? found.nextHopID
        }
        return (try pending.answer(to: query), details)
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
            // Number 2n is the plain request for destination n, 2n + 1 the one for its match.
            var requests: [Int] = []
            requests.reserveCapacity(2 * batch.count)
            for (offset, query) in batch.enumerated() {
                for kind in 0..<(withMatch ? 2 : query.requestCount) { requests.append(2 * offset + kind) }
            }
            try ask(count: requests.count) { (number, sequence, message) in
                let request = requests[number]
                RouteCodec.write(
                    queries[start + request / 2], match: request & 1 == 1, sequence: sequence, into: &message)
            } read: { (number, answer, payload) throws(WireError) in
                let request = requests[number]
                try pending[request / 2].add(
                    answer, payload, isMatch: request & 1 == 1, queries[start + request / 2])
            }
            for offset in pending.indices {
                body(start + offset, try pending[offset].answer(to: queries[start + offset]))
            }
        }
    }
}

extension RouteQuery {
    /// The number of requests that this query needs.
    fileprivate var requestCount: Int {
        if case .v6 = destination { 2 } else { 1 }
    }
}

/// The answers for one destination that have been received so far.
private struct PendingAnswer {
    private var taken: RouteDecision?
    private var match: RouteDecision?
    private var error: Errno?

    mutating func add(
        _ answer: NetlinkRequester.Answer, _ payload: RawSpan, isMatch: Bool, _ query: RouteQuery
    ) throws(WireError) {
        switch answer {
        case .message:
            let decision = try RouteCodec.read(payload, family: query.destination.family)
            if isMatch { match = decision } else { taken = decision }
        case .failure(let error):
            // If only the request for the match failed, the plain answer is used alone.
            if !isMatch { self.error = error }
        }
    }

    func answer(to query: RouteQuery) throws(NetlinkError) -> RouteAnswer {
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
