// SPDX-License-Identifier: Apache-2.0

package import Netlink
package import NetworkFacts

/// Asks the kernel, and remembers what it says of links as long as none has changed.
///
/// Used by one thread at a time: by whom the pool has lent it to.
package final class Inquirer {
    package let conversation: Conversation
    private let deviceTypes: DeviceTypes
    /// Unchecked for the same reason as the conversation's own: each access is over before the next begins.
    @safe @exclusivity(unchecked) private var known = Known()
    /// The link asked about last: mostly the next question leaves by it too.
    @safe @exclusivity(unchecked) private var recent: (generation: UInt64, state: LinkState)?

    private struct Known {
        var generation: UInt64 = 0
        var links: [InterfaceIndex: LinkFacts] = [:]
        var names: [String: InterfaceIndex] = [:]
    }

    package init(_ conversation: Conversation, deviceTypes: DeviceTypes = DeviceTypes()) {
        self.conversation = conversation
        self.deviceTypes = deviceTypes
    }

    /// The state of a link; nil where it does not exist.
    package func state(of index: InterfaceIndex, generation: UInt64?) throws(NetlinkError) -> LinkState? {
        if let recent, recent.generation == generation, recent.state.index == index { return recent.state }
        let state = try facts(of: index, generation: generation)?.state
        if let generation, let state { recent = (generation, state) }
        return state
    }

    /// The facts of a link; nil where it does not exist.
    ///
    /// - Parameter generation: the generation of links under which facts may be kept and used; nil for "ask anew".
    package func facts(of index: InterfaceIndex, generation: UInt64?) throws(NetlinkError) -> LinkFacts? {
        if known.generation == generation, let facts = known.links[index] { return facts }
        guard var facts = try conversation.link(index) else { return nil }
        facts.deviceType = deviceTypes.type(of: facts)
        keep(under: generation) { $0.links[index] = facts }
        return facts
    }

    /// The number of the interface that has a name now; nil where none has.
    package func index(of name: String, generation: UInt64?) throws(NetlinkError) -> InterfaceIndex? {
        if known.generation == generation, let index = known.names[name] { return index }
        guard let index = try conversation.linkIndex(of: name) else { return nil }
        keep(under: generation) { $0.names[name] = index }
        return index
    }

    /// Judges an answer, by the state of the link that its route leaves by.
    func verdict(
        on query: RouteQuery, answer: RouteAnswer, generation: UInt64?
    ) throws(NetlinkError) -> TimedVerdict {
        var link: LinkState?
        // The kernel's own addresses do not depend on any link.
        if case .route(let decision) = answer, let index = decision.interface, !decision.isLocal {
            link = try state(of: index, generation: generation)
        }
        return TimedVerdict(on: query, answer: answer, link: link)
    }

    private func keep(under generation: UInt64?, _ put: (inout Known) -> Void) {
        // Whoever had to wait for its turn must not put old facts beside newer ones.
        guard let generation, generation >= known.generation else { return }
        if generation > known.generation { known = Known(generation: generation) }
        put(&known)
    }
}
