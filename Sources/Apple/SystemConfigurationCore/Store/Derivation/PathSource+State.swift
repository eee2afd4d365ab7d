// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import ReachabilityReferences
import ReachabilityResolverFiles

extension PathSource {
    /// The present state. Where netlink is forbidden, it has only the interfaces of the default routes.
    package func currentState() throws(ReachabilityError) -> NetworkState {
        try undisturbed { () throws(ReachabilityError) in
            let resolvConf = try namespace.presentResolvConf()
            let kernel = try namespace.kernel()
            do throws(NetlinkError) {
                return try kernel.withRouteClient { (socket) throws(NetlinkError) in
                    var reader = PathFactsReader(in: namespace)
                    let facts = try reader.facts(asking: socket, servers: resolvConf.servers)
                    return NetworkState(
                        path: NetworkPath(facts), inventory: reader.inventory, searchDomains: resolvConf.domains)
                }
            } catch {
                throw ReachabilityError(error, object: "the network")
            }
        }
    }

    /// The Wi-Fi network that an interface is in; nil if it is in none, or if the kernel does not tell.
    package func wirelessNetwork(of interface: InterfaceIndex) throws(ReachabilityError) -> WirelessNetwork? {
        do throws(NetlinkError) {
            return try namespace.inside { () throws(NetlinkError) in try WirelessRequester().network(of: interface) }
        } catch {
            throw ReachabilityError(error, object: "the wireless network")
        }
    }

    /// All links, with the types of their devices. Where netlink is forbidden, those of the default routes.
    package func links() throws(ReachabilityError) -> [NetworkInventory.Link] {
        try currentState().inventory.links.map { link in
            var link = link
            link.facts.deviceType = try? namespace.deviceTypes.typeOrWireless(of: link.facts)
            return link
        }
    }
}
