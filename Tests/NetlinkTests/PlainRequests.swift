// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

extension NetlinkRequester {
    /// Asks about destinations with one request each, and passes the answers in the order of the queries.
    func plainRoutes(_ queries: [RouteQuery], _ body: (Int, RouteAnswer) -> Void) throws(NetlinkError) {
        var answers: [RouteAnswer?] = queries.map { _ in nil }
        var failure: NetlinkError?
        try ask(count: queries.count) { (number, sequence, message) in
            RouteCodec.write(queries[number], match: false, sequence: sequence, into: &message)
        } read: { (number, answer, payload) throws(WireError) in
            switch answer {
            case .message:
                answers[number] = .route(
                    try RouteCodec.read(payload, family: queries[number].destination.family))
            case .failure(let error):
                if let refusal = RouteCodec.refusal(error) {
                    answers[number] = .unreachable(refusal)
                } else {
                    failure = .refused(error)
                }
            }
        }
        if let failure { throw failure }
        for (number, answer) in answers.enumerated() { body(number, answer!) }
    }

    func plainRoute(_ query: RouteQuery) throws(NetlinkError) -> RouteAnswer {
        var found = RouteAnswer.unreachable(.noRoute)
        try plainRoutes([query]) { found = $1 }
        return found
    }
}
