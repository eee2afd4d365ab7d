// SPDX-License-Identifier: Apache-2.0

import CTestTopology
package import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import ReachabilityTestMachines

/// Addresses as our own tests write them. A mistake in one is a mistake in the test, and traps.
extension IPAddress {
    /// "192.0.2.1", "2001:db8::1".
    package init(text: String) { try! self.init(reading: text) }
}

extension Prefix {
    /// "192.0.2.0/24", "2001:db8::/32", or an address for itself alone.
    package init(text: String) { try! self.init(reading: text) }
}

extension Change {
    package static func route(
        _ verb: Verb, _ destination: String, via gateway: String? = nil, through interface: InterfaceIndex? = nil,
        nextHop: UInt32? = nil, kind: RouteDecision.Kind? = nil, metric: UInt32? = nil
    ) -> Change {
        route(
            verb, Prefix(text: destination), via: gateway.map(IPAddress.init(text:)), through: interface,
            nextHop: nextHop,
            kind: kind, metric: metric)
    }

    package static func rule(
        _ verb: Verb, priority: UInt32, table: UInt32, family: AddressFamily = .v4, to destination: String
    ) -> Change {
        rule(verb, priority: priority, table: table, family: family, to: Prefix(text: destination))
    }

    /// A next-hop object (struct nhmsg, linux/nexthop.h). Deleting one needs only its number.
    package static func nextHop(
        _ verb: Verb, _ number: UInt32, via gateway: String? = nil, through interface: InterfaceIndex? = nil
    ) -> Change {
        let gateway = gateway.map(IPAddress.init(text:))
        return Change(verb, type: Int(verb == .delete ? RTM_DELNEXTHOP : RTM_NEWNEXTHOP)) { message in
            message.append(verb == .delete ? 0 : (gateway?.family ?? .v4).linuxValue)
            message.append(0 as UInt8)  // nh_scope
            message.append(UInt8(verb == .delete ? RTPROT_UNSPEC : RTPROT_STATIC))
            message.append(0 as UInt8)
            message.append(0 as UInt32)  // nh_flags
            message.attribute(NHA_ID, number)
            if let gateway { message.attribute(NHA_GATEWAY, gateway) }
            if let interface { message.attribute(NHA_OIF, interface.rawValue) }
        }
    }

    package static func address(_ verb: Verb, _ text: String, of interface: InterfaceIndex) -> Change {
        address(verb, try! LinkAddress(reading: text), of: interface)
    }
}
