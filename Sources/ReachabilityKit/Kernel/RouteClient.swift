// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import Netlink
package import NetworkFacts

/// Asks the kernel, and remembers what it says of links as long as none has changed.
///
/// Its conversation hears of every change of a link before it hears an answer. So what is remembered is true where nothing
/// was heard since; but only after an answer, or after `listen`. Used by one thread at a time: by whom the pool has lent it
/// to.
package final class RouteClient {
    package let requester: NetlinkRequester
    private let deviceTypes: DeviceTypes
    package let socketDefaults: SocketDefaults
    /// Unchecked for the same reason as the conversation's own: each access is over before the next begins.
    @safe @exclusivity(unchecked) private var known = Known(linkGeneration: 0)
    /// The link asked about last: mostly the next question leaves by it too.
    @safe @exclusivity(unchecked) private var recent: LinkState?

    /// What is known, as long as the conversation has heard so much and no more.
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

    /// The state of a link; nil where it does not exist.
    package func state(of index: InterfaceIndex) throws(NetlinkError) -> LinkState? {
        if isCurrent, let recent, recent.index == index { return recent }
        let state = try facts(of: index)?.state
        if isCurrent, known.links[index] != nil { recent = state }
        return state
    }

    /// The facts of a link; nil where it does not exist.
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

    /// The number of the interface that has a name now; nil where none has.
    package func index(of name: String) throws(NetlinkError) -> InterfaceIndex? {
        if isCurrent, let index = known.names[name] { return index }
        let linkGeneration = requester.linkGeneration
        guard let index = try requester.linkIndex(of: name) else { return nil }
        remember(since: linkGeneration) { $0.names[name] = index }
        return index
    }

    /// Judges an answer, by the state of the link that its route leaves by.
    func verdict(on query: RouteQuery, answer: RouteAnswer) throws(NetlinkError) -> TimedVerdict {
        var link: LinkState?
        // The kernel's own addresses do not depend on any link.
        if case .route(let decision) = answer, let index = decision.interface, !decision.isLocal {
            link = try state(of: index)
        }
        return TimedVerdict(on: query, answer: answer, link: link)
    }

    private var isCurrent: Bool { known.linkGeneration == requester.linkGeneration }

    private func remember(since linkGeneration: Int, _ put: (inout Known) -> Void) {
        // Where linkGeneration came with the answer, this is no longer current, and is asked about once more.
        if known.linkGeneration != linkGeneration {
            known = Known(linkGeneration: linkGeneration)
            recent = nil
        }
        put(&known)
    }
}
