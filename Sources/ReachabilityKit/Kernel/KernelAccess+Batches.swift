// SPDX-License-Identifier: Apache-2.0

import Netlink
import NetworkFacts

extension KernelAccess {
    /// Looks at many watches, those of plain addresses a batch at a time, and passes each one's verdict.
    func look(at watches: [WatchedTarget], _ body: (WatchedTarget, TimedVerdict) -> Void) throws(NetlinkError) {
        try withRouteClient { (routeClient) throws(NetlinkError) in
            var batch = Batch()
            for watch in watches {
                if case .address(let address) = watch.target, watch.keys.interfaceName == nil {
                    batch.watches.append(watch)
                    batch.queries.append(
                        watch.keys.query(
                            for: address, socket: routeClient.socketDefaults[address.unmapped.family]))
                    if batch.queries.count == NetlinkRequester.batch {
                        try look(at: &batch, routeClient, body)
                    }
                } else {
                    let lookup = TargetLookup(routeClient, keys: watch.keys)
                    body(watch, try lookup.verdict(on: watch.target))
                }
            }
            try look(at: &batch, routeClient, body)
        }
    }

    /// Watches of plain addresses, and the questions about them. Few, though there may be very many to look at: what all
    /// of them took would stay with the process.
    private struct Batch {
        var watches: [WatchedTarget] = []
        var queries: [RouteQuery] = []

        init() {
            watches.reserveCapacity(NetlinkRequester.batch)
            queries.reserveCapacity(NetlinkRequester.batch)
        }
    }

    private func look(
        at batch: inout Batch, _ routeClient: RouteClient,
        _ body: (WatchedTarget, TimedVerdict) -> Void
    ) throws(NetlinkError) {
        var failure: NetlinkError?
        try routeClient.requester.routes(batch.queries) { position, answer in
            do throws(NetlinkError) {
                let timed = try routeClient.verdict(on: batch.queries[position], answer: answer)
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
