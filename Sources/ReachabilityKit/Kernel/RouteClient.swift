// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import Netlink
package import NetworkFacts

/// Asks the kernel for routes and links, and remembers facts about links as long as no link changes.
///
/// The requester receives the announcement of every change of a link before it receives the answer to a later request. So
/// the facts are current, after an answer or after `listen`, if no announcement has come since they were learned. Used by
/// one thread at a time, which has borrowed it from the pool.
package final class RouteClient {
    package let requester: NetlinkRequester
    private let deviceTypes: DeviceTypes
    package let socketDefaults: SocketDefaults
    /// Unchecked for the same reason as the requester's properties: no two accesses overlap.
    @safe @exclusivity(unchecked) private var known = Known(linkGeneration: 0)
    /// The link of the last question. Most questions leave by the same link.
    @safe @exclusivity(unchecked) private var recent: LinkState?

    /// Facts that are current as long as the requester's `linkGeneration` is this one.
    private struct Known {
        let linkGeneration: Int
        var links: [InterfaceIndex: LinkFacts] = [:]
        var names: [String: InterfaceIndex] = [:]
    }

    package init(_ requester: NetlinkRequester, _ deviceTypes: DeviceTypes, _ socketDefaults: SocketDefaults) {
        self.requester = requester
        self.deviceTypes = deviceTypes
        self.socketDefaults = socketDefaults
    }

    /// The state of a link; nil if it does not exist.
    package func state(of index: InterfaceIndex) throws(NetlinkError) -> LinkState? {
        if isCurrent, let recent, recent.index == index { return recent }
        let state = try facts(of: index)?.state
        if isCurrent, known.links[index] != nil { recent = state }
        return state
    }

    /// The facts of a link; nil if it does not exist.
    package func facts(of index: InterfaceIndex) throws(NetlinkError) -> LinkFacts? {
        if isCurrent, let facts = known.links[index] { return facts }
        let linkGeneration = requester.linkGeneration
        guard var facts = try requester.link(index) else { return nil }
        do throws(Errno) {
            facts.deviceType = try deviceTypes.type(of: facts)
        } catch {
            return facts
        }
        remember(since: linkGeneration) { $0.links[index] = facts }
        return facts
    }

    /// The index of the interface that has a name now; nil if there is none.
    package func index(of name: String) throws(NetlinkError) -> InterfaceIndex? {
        if isCurrent, let index = known.names[name] { return index }
        let linkGeneration = requester.linkGeneration
        guard let index = try requester.linkIndex(of: name) else { return nil }
        remember(since: linkGeneration) { $0.names[name] = index }
        return index
    }

    /// Judges an answer by the state of the link that its route leaves by.
    func judge(_ answer: RouteAnswer, to query: RouteQuery) throws(NetlinkError) -> TimedVerdict {
        var link: LinkState?
        // Addresses of this machine do not depend on a link.
        if case .route(let decision) = answer, let index = decision.interface, !decision.isLocal {
            link = try state(of: index)
        }
        return TimedVerdict(on: query, answer: answer, link: link)
    }

    private var isCurrent: Bool { known.linkGeneration == requester.linkGeneration }

    private func remember(since linkGeneration: Int, _ change: (inout Known) -> Void) {
        // If an announcement came with the answer, the facts are out of date already and will be asked for again.
        if known.linkGeneration != linkGeneration {
            known = Known(linkGeneration: linkGeneration)
            recent = nil
        }
        change(&known)
    }
}
