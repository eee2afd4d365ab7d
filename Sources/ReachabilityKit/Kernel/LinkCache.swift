// SPDX-License-Identifier: Apache-2.0

package import Netlink
package import NetworkFacts
import Synchronization

/// What is known of links, as long as no link has changed.
package final class LinkCache: Sendable {
    private struct Known {
        var generation: UInt64 = 0
        var links: [InterfaceIndex: LinkFacts] = [:]
        /// The link asked about last: mostly the next question leaves by it too.
        var recent: LinkFacts?

        mutating func facts(of index: InterfaceIndex) -> LinkFacts? {
            if let recent, recent.index == index { return recent }
            guard let facts = links[index] else { return nil }
            recent = facts
            return facts
        }
    }

    private let known = Mutex(Known())
    private let deviceTypes: DeviceTypes

    package init(deviceTypes: DeviceTypes = DeviceTypes()) {
        self.deviceTypes = deviceTypes
    }

    /// The facts of a link; nil where it does not exist.
    ///
    /// - Parameter generation: the generation of links under which facts may be kept and used; nil for "ask anew".
    package func facts(
        of index: InterfaceIndex, generation: UInt64?, asking conversation: Conversation
    ) throws(NetlinkError) -> LinkFacts? {
        if let generation {
            let cached = known.withLock { known in
                known.generation == generation ? known.facts(of: index) : nil
            }
            if let cached { return cached }
        }
        guard var facts = try conversation.link(index) else { return nil }
        facts.deviceType = deviceTypes.type(of: facts)
        if let generation { keep(facts, generation) }
        return facts
    }

    private func keep(_ facts: LinkFacts, _ generation: UInt64) {
        known.withLock { known in
            // A slower thread must not put old facts beside newer ones.
            guard generation >= known.generation else { return }
            if generation > known.generation { known = Known(generation: generation) }
            known.links[facts.index] = facts
            known.recent = facts
        }
    }
}
