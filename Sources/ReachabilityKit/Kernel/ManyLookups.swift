// SPDX-License-Identifier: Apache-2.0

import Netlink
import NetworkFacts

extension KernelAccess {
    /// Looks at many watches: those of plain addresses in batches, the others one by one, and passes each one's verdict.
    func look(at watches: [Watch], _ body: (Watch, TimedVerdict) -> Void) throws(NetlinkError) {
        let generation = sentinel.settle()?.links
        try conversations.withConversation { (conversation) throws(NetlinkError) in
            var plain: [Watch] = []
            var queries: [RouteQuery] = []
            plain.reserveCapacity(watches.count)
            queries.reserveCapacity(watches.count)
            for watch in watches {
                if case .address(let address) = watch.target, watch.keys.interfaceName == nil {
                    plain.append(watch)
                    queries.append(watch.keys.query(for: address))
                } else {
                    let lookup = TargetLookup(
                        conversation: conversation, links: links, generation: generation, keys: watch.keys)
                    body(watch, try lookup.verdict(on: watch.target))
                }
            }
            var failure: NetlinkError?
            try conversation.routes(queries) { position, answer in
                do throws(NetlinkError) {
                    let timed = try links.verdict(
                        on: queries[position], answer: answer, generation: generation, asking: conversation)
                    body(plain[position], timed)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
    }
}
