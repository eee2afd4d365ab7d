// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// Requests for all links and all addresses (RTM_GETLINK and RTM_GETADDR with NLM_F_DUMP, rtnetlink(7)).
extension NetlinkRequester {
    /// All links, without what their uevents say, and all addresses of both families.
    package func inventory() throws(NetlinkError) -> NetworkInventory {
        try NetworkInventory(
            links: list(LinkCodec.writeDump, LinkCodec.readWhole),
            addresses: addresses())
    }

    /// The addresses of all links.
    package func addresses() throws(NetlinkError) -> [NetworkInventory.Address] {
        try list(AddressCodec.writeDump, AddressCodec.read)
    }

    private func list<Element>(
        _ write: (_ sequence: UInt32, _ into: inout MessageBuilder) -> Void,
        _ read: (_ payload: RawSpan) throws(WireError) -> Element?
    ) throws(NetlinkError) -> [Element] {
        var found: [Element] = []
        try dump(write: write) {
            found = []
        } read: { (_, payload) throws(WireError) in
            if let element = try read(payload) { found.append(element) }
        }
        return found
    }
}

extension LinkCodec {
    /// Reads an RTM_NEWLINK message of a dump; nil if it lacks a part that each link has.
    package static func readWhole(_ payload: RawSpan) throws(WireError) -> NetworkInventory.Link? {
        guard let facts = try read(payload) else { return nil }
        var link = NetworkInventory.Link(facts)
        var sizes = NetworkInventory.PacketSizes(largest: 0)
        // The kernel writes 0 where a driver has no limit.
        func limit(_ value: RawSpan) throws(WireError) -> UInt32? {
            let limit: UInt32 = try value.load(at: 0)
            return limit == 0 ? nil : limit
        }
        try WireReader.forEachAttribute(in: payload, from: 16) { (type, value) throws(WireError) in
            switch Int(type) {
            case IFLA_ADDRESS: link.hardwareAddress = try value.bytes(0..<value.byteCount)
            case IFLA_MTU: sizes.largest = try value.load(at: 0)
            case IFLA_MIN_MTU: sizes.leastSetting = try limit(value)
            case IFLA_MAX_MTU: sizes.greatestSetting = try limit(value)
            default: break
            }
        }
        if sizes.largest > 0 { link.packetSizes = sizes }
        return link
    }
}

/// The wire form of addresses (struct ifaddrmsg and IFA_…, linux/if_addr.h).
package enum AddressCodec {
    static func writeDump(sequence: UInt32, into message: inout MessageBuilder) {
        message.begin(type: Int32(RTM_GETADDR), flags: Int32(NLM_F_DUMP), sequence: sequence)
        message.append(0 as UInt32)  // ifa_family: both; ifa_prefixlen, ifa_flags, ifa_scope
        message.append(0 as UInt32)  // ifa_index: all
        message.finish()
    }

    /// Reads an RTM_NEWADDR message. Returns nil if it is of another family.
    package static func read(_ payload: RawSpan) throws(WireError) -> NetworkInventory.Address? {
        guard let family = AddressFamily(linuxValue: try payload.load(at: 0)),
            let interface = InterfaceIndex(try payload.load(at: 4))
        else { return nil }
        // The header has the lower eight flags, IFA_FLAGS all of them.
        var flags = UInt32(try payload.load(UInt8.self, at: 2))
        var local: IPAddress?
        var address: IPAddress?
        var broadcast: IPAddress?
        try WireReader.forEachAttribute(in: payload, from: 8) { (type, value) throws(WireError) in
            switch Int(type) {
            case IFA_LOCAL: local = try value.address(of: family)
            case IFA_ADDRESS: address = try value.address(of: family)
            case IFA_BROADCAST: broadcast = try value.address(of: family)
            case IFA_FLAGS: flags = try value.load(at: 0)
            default: break
            }
        }
        // On a point-to-point link IFA_ADDRESS is the address of the peer (comment in linux/if_addr.h).
        guard let own = local ?? address else { return nil }
        let whole = InterfaceAddress(
            interface: interface, address: own, prefixLength: try payload.load(UInt8.self, at: 1),
            scope: try payload.load(at: 3), flags: .init(rawValue: flags))
        return NetworkInventory.Address(whole, broadcast: broadcast, peer: address == own ? nil : address)
    }
}
