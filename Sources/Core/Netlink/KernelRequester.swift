// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Asks the kernel of one namespace: over netlink, or where that is refused in another way.
package protocol KernelRequester: AnyObject {
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
