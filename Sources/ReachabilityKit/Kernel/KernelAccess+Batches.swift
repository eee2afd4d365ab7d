// SPDX-License-Identifier: Apache-2.0

import Netlink
import NetworkFacts

extension KernelAccess {
    /// Asks about many watched targets and passes the verdict on each. Plain addresses are asked about in batches.
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
                        try finish(&batch, routeClient, body)
                    }
                } else {
                    let lookup = TargetLookup(routeClient, keys: watch.keys)
                    body(watch, try lookup.result(for: watch.target))
                }
            }
            try finish(&batch, routeClient, body)
        }
    }

    /// Some watched addresses and the queries for them. Not all at once, because memory for very many would stay with the
    /// process.
    private struct Batch {
        var watches: [WatchedTarget] = []
        var queries: [RouteQuery] = []

        init() {
            watches.reserveCapacity(NetlinkRequester.batch)
            queries.reserveCapacity(NetlinkRequester.batch)
        }
    }

    private func finish(
        _ batch: inout Batch, _ routeClient: RouteClient,
        _ body: (WatchedTarget, TimedVerdict) -> Void
    ) throws(NetlinkError) {
        var failure: NetlinkError?
        try routeClient.requester.routes(batch.queries) { position, answer in
            do throws(NetlinkError) {
                let timed = try routeClient.judge(answer, to: batch.queries[position])
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
