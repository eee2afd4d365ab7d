// SPDX-License-Identifier: Apache-2.0

package import Netlink
package import NetworkFacts
import Synchronization

/// What is known of links, as long as no link has changed.
package final class LinkCache: Sendable {
    private struct Known {
        var generation: UInt64 = 0
        var links: [InterfaceIndex: LinkFacts] = [:]
        var names: [String: InterfaceIndex] = [:]
        /// The link asked about last: mostly the next question leaves by it too.
        var recent: LinkState?

        mutating func state(of index: InterfaceIndex) -> LinkState? {
            if let recent, recent.index == index { return recent }
            guard let state = links[index]?.state else { return nil }
            recent = state
            return state
        }
    }

    private let known = Mutex(Known())
    private let deviceTypes: DeviceTypes

    package init(deviceTypes: DeviceTypes = DeviceTypes()) {
        self.deviceTypes = deviceTypes
    }

    /// The state of a link; nil where it does not exist.
    package func state(
        of index: InterfaceIndex, generation: UInt64?, asking conversation: Conversation
    ) throws(NetlinkError) -> LinkState? {
        if let generation {
            let cached = known.withLock { $0.generation == generation ? $0.state(of: index) : nil }
            if let cached { return cached }
        }
        return try facts(of: index, generation: generation, asking: conversation)?.state
    }

    /// The facts of a link; nil where it does not exist.
    ///
    /// - Parameter generation: the generation of links under which facts may be kept and used; nil for "ask anew".
    package func facts(
        of index: InterfaceIndex, generation: UInt64?, asking conversation: Conversation
    ) throws(NetlinkError) -> LinkFacts? {
        if let generation {
            let cached = known.withLock { $0.generation == generation ? $0.links[index] : nil }
            if let cached { return cached }
        }
        guard var facts = try conversation.link(index) else { return nil }
        facts.deviceType = deviceTypes.type(of: facts)
        if let generation { keep(generation) { $0.links[index] = facts } }
        return facts
    }

    /// The number of the interface that has a name now; nil where none has.
    package func index(
        of name: String, generation: UInt64?, asking conversation: Conversation
    ) throws(NetlinkError) -> InterfaceIndex? {
        if let generation {
            let cached = known.withLock { $0.generation == generation ? $0.names[name] : nil }
            if let cached { return cached }
        }
        guard let index = try conversation.linkIndex(of: name) else { return nil }
        if let generation { keep(generation) { $0.names[name] = index } }
        return index
    }

    /// Judges an answer, by the state of the link that its route leaves by.
    func verdict(
        on query: RouteQuery, answer: RouteAnswer, generation: UInt64?, asking conversation: Conversation
    ) throws(NetlinkError) -> TimedVerdict {
        var link: LinkState?
        // The kernel's own addresses do not depend on any link.
        if case .route(let decision) = answer, let index = decision.interface, !decision.isLocal {
            link = try state(of: index, generation: generation, asking: conversation)
        }
        return TimedVerdict(on: query, answer: answer, link: link)
    }

    private func keep(_ generation: UInt64, _ put: (inout Known) -> Void) {
        known.withLock { known in
            // A slower thread must not put old facts beside newer ones.
            guard generation >= known.generation else { return }
            if generation > known.generation { known = Known(generation: generation) }
            put(&known)
        }
    }
}
