// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import ReachabilityNetlink

@_implementationOnly import CReachabilityLinux

/// Numbers of linux/if_link.h and linux/veth.h that the core does not use.
private enum Constant {
    static let link = 5, mode = 17, namespace = 28, familySettings = 26, carrier = 33
    static let kindData = 2
    static let vethPeer = 1
    static let vlanNumber = 1
    static let ipv6Family = 10, addressGeneration = 8
    static let noAddressGeneration: UInt8 = 1
    static let dormantMode: UInt8 = 1
}

extension Change {
    /// Brings a link up or takes it down (struct ifinfomsg, linux/rtnetlink.h).
    package static func link(_ interface: InterfaceIndex, up isUp: Bool) -> Change {
        link(interface, flags: isUp ? .up : [], of: .up) { _ in }
    }

    /// Makes a link that is up dormant, or no longer dormant (Documentation/networking/operstates.rst of the kernel). Routes
    /// stay as they are.
    ///
    /// - Parameter staying: whether it stays dormant when its carrier comes back, like a link that waits for a login.
    package static func link(_ interface: InterfaceIndex, dormant isDormant: Bool, staying: Bool? = nil) -> Change {
        link(interface) { message in
            let state: LinkFacts.OperationalState = isDormant ? .dormant : .up
            if let staying { message.attribute(Constant.mode, short: staying ? Constant.dormantMode : 0) }
            message.attribute(IFLA_OPERSTATE, short: state.rawValue)
        }
    }

    /// Gives a link a carrier or takes it away, if its driver lets users do that (`ndo_change_carrier`), such as a dummy device.
    static func link(_ interface: InterfaceIndex, carrier: Bool) -> Change {
        link(interface) { $0.attribute(Constant.carrier, short: carrier ? 1 : 0 as UInt8) }
    }

    /// Makes the kernel derive no address from the link's hardware address (IN6_ADDR_GEN_MODE_NONE).
    static func linkWithoutOwnAddress(_ interface: InterfaceIndex) -> Change {
        link(interface) { message in
            message.attribute(Constant.familySettings) { families in
                families.attribute(Constant.ipv6Family) { settings in
                    settings.attribute(Constant.addressGeneration, short: Constant.noAddressGeneration)
                }
            }
        }
    }

    static func link(_ interface: InterfaceIndex, portOf master: InterfaceIndex) -> Change {
        link(interface) { $0.attribute(IFLA_MASTER, master.rawValue) }
    }

    /// Moves a link into another namespace, under another name. It goes down there.
    static func link(_ interface: InterfaceIndex, to namespace: borrowing OwnedDescriptor, as name: String) -> Change {
        let descriptor = UInt32(namespace.rawValue)
        return link(interface) { message in
            message.attribute(Constant.namespace, descriptor)
            message.attribute(IFLA_IFNAME, name)
        }
    }

    /// - Parameter counting: ifi_change, which of the flags are set or cleared.
    private static func link(
        _ interface: InterfaceIndex, flags: LinkFacts.Flags = [], of counting: LinkFacts.Flags = [],
        _ attributes: (inout MessageBuilder) -> Void
    ) -> Change {
        Change(.delete, type: RTM_NEWLINK) { message in
            message.append(0 as UInt32)  // ifi_family, padding, ifi_type
            message.append(interface.rawValue)
            message.append(flags.rawValue)
            message.append(counting.rawValue)
            attributes(&message)
        }
    }

    static func deleteLink(_ interface: InterfaceIndex) -> Change {
        Change(.delete, type: RTM_DELLINK) { message in
            message.append(0 as UInt32)
            message.append(interface.rawValue)
            message.append(0 as UInt64)
        }
    }

    /// Makes a link of a kind (IFLA_LINKINFO), such as "bridge".
    ///
    /// - Parameters:
    ///   - lower: the link below it.
    ///   - data: the attributes that this kind needs.
    static func newLink(
        _ name: String, kind: String, index: UInt32 = 0, on lower: InterfaceIndex? = nil,
        data: ((inout MessageBuilder) -> Void)? = nil
    ) -> Change {
        Change(.add, type: RTM_NEWLINK) { message in
            message.append(0 as UInt32)
            message.append(index)
            message.append(0 as UInt64)
            message.attribute(IFLA_IFNAME, name)
            if let lower { message.attribute(Constant.link, lower.rawValue) }
            message.attribute(IFLA_LINKINFO) { info in
                info.attribute(IFLA_INFO_KIND, kind)
                if let data { info.attribute(Constant.kindData, data) }
            }
        }
    }

    /// Makes a veth pair: two links, each of which receives what the other sends.
    static func newCable(
        _ name: String, index: UInt32 = 0, peer: String, in namespace: borrowing OwnedDescriptor
    ) -> Change {
        let descriptor = UInt32(namespace.rawValue)
        return newLink(name, kind: "veth", index: index) { data in
            data.attribute(Constant.vethPeer) { other in
                for _ in 0..<4 { other.append(0 as UInt32) }  // struct ifinfomsg
                other.attribute(IFLA_IFNAME, peer)
                other.attribute(Constant.namespace, descriptor)
            }
        }
    }

    static func newVLAN(_ name: String, number: UInt16, on lower: InterfaceIndex) -> Change {
        newLink(name, kind: "vlan", on: lower) { $0.attribute(Constant.vlanNumber, short: number) }
    }
}
