// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Netlink
import Synchronization

/// Asks the kernel of one namespace: over netlink, or where that is refused in another way.
package protocol KernelRequester: AnyObject {
    /// Receives the announcements that are queued, without a question.
    func listen() throws(NetlinkError)

    func routes(_ queries: [RouteQuery], into replies: inout [RouteReply]) throws(NetlinkError)
    /// What the rules of a family look at.
    func rules(of family: AddressFamily) throws(NetlinkError) -> RoutingRules
    /// The facts of one link, except those of its uevent; nil if no link has this index.
    func link(_ index: InterfaceIndex) throws(NetlinkError) -> LinkFacts?
    /// The index of the link that has a name now; nil if there is none.
    func linkIndex(of name: String) throws(NetlinkError) -> InterfaceIndex?
    /// Links, without what their uevents say, and addresses.
    func inventory() throws(NetlinkError) -> NetworkInventory
}

extension NetlinkRequester: KernelRequester {}

/// How the kernel is asked. It is found out by trying, and holds for all sockets of one `KernelAccess`.
package final class LookupTier: Sendable {
    private let hearing: Hearing
    private let isConnected: Atomic<Bool>

    init(hearing: Hearing, isConnected: Bool) {
        self.hearing = hearing
        self.isConnected = Atomic(isConnected)
    }

    /// Sockets are connected from now on, because questions about routes are refused.
    func routesWereRefused() { isConnected.store(true, ordering: .relaxed) }

    var method: Explanation.LookupMethod {
        isConnected.load(ordering: .relaxed) ? .udp : hearing == .nothing ? .netlinkQuestions : .netlink
    }
}
