// SPDX-License-Identifier: Apache-2.0

import Netlink
import NetworkFacts

extension KernelAccess {
    /// Looks at many watches, those of plain addresses a batch at a time, and passes each one's verdict.
    func look(at watches: [Watch], _ body: (Watch, TimedVerdict) -> Void) throws(NetlinkError) {
        try withInquirer { (inquirer) throws(NetlinkError) in
            var batch = Batch()
            for watch in watches {
                if case .address(let address) = watch.target, watch.keys.interfaceName == nil {
                    batch.watches.append(watch)
                    batch.queries.append(
                        watch.keys.query(
                            for: address, socket: inquirer.socketDefaults[address.unmapped.family]))
                    if batch.queries.count == Conversation.batch {
                        try look(at: &batch, inquirer, body)
                    }
                } else {
                    let lookup = TargetLookup(inquirer, keys: watch.keys)
                    body(watch, try lookup.verdict(on: watch.target))
                }
            }
            try look(at: &batch, inquirer, body)
        }
    }

    /// Watches of plain addresses, and the questions about them. Few, though there may be very many to look at: what all
    /// of them took would stay with the process.
    private struct Batch {
        var watches: [Watch] = []
        var queries: [RouteQuery] = []

        init() {
            watches.reserveCapacity(Conversation.batch)
            queries.reserveCapacity(Conversation.batch)
        }
    }

    private func look(
        at batch: inout Batch, _ inquirer: Inquirer,
        _ body: (Watch, TimedVerdict) -> Void
    ) throws(NetlinkError) {
        var failure: NetlinkError?
        try inquirer.conversation.routes(batch.queries) { position, answer in
            do throws(NetlinkError) {
                let timed = try inquirer.verdict(on: batch.queries[position], answer: answer)
                body(batch.watches[position], timed)
            } catch {
                failure = error
            }
        }
        batch.watches.removeAll(keepingCapacity: true)
        batch.queries.removeAll(keepingCapacity: true)
        if let failure { throw failure }
    }
}
