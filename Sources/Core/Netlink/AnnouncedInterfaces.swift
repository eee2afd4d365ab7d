// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// What the kernel has last announced of each link and each address. It often announces one as it was: with each router
/// advertisement or DHCP lease that renews the lifetime of an address, and when something of a link has changed that no answer
/// depends on. Nothing has to be looked at then.
struct AnnouncedInterfaces {
    /// A link is announced as a port of a bridge, too, in a message of another family.
    private struct LinkKey: Hashable {
        let index: UInt32
        let family: UInt8
    }

    private struct Link: Hashable {
        let whole: NetworkInventory.Link
        /// Rules may name it (suppress_ifgroup of ip-rule(8)).
        let group: UInt32
        /// Its alternative names, as the kernel writes them. A target may be bound to one.
        let otherNames: [UInt8]
    }

    private struct AddressKey: Hashable {
        let interface: InterfaceIndex
        let address: IPAddress
        /// An interface has an IPv6 address once, whatever its peer.
        let ipv4: IPv4Only?

        struct IPv4Only: Hashable {
            let peer: IPAddress?
            let prefixLength: UInt8?
        }
    }

    private struct Address: Hashable {
        let whole: NetworkInventory.Address
        /// The kernel avoids an address whose preferred lifetime is 0.
        let isPreferred: Bool
    }

    private var links: [LinkKey: Link] = [:]
    private var addresses: [AddressKey: Address] = [:]

    /// To be called when announcements were lost.
    mutating func forget() { self = AnnouncedInterfaces() }

    /// Whether a message says of a link or an address what the one before has said. Remembers what it says.
    mutating func isRepeated(_ header: MessageHeader, _ payload: RawSpan) throws(WireError) -> Bool {
        switch Int(header.type) {
        case Int(RTM_NEWLINK): return try isRepeated(link: payload)
        case Int(RTM_NEWADDR): return try isRepeated(address: payload)
        case Int(RTM_DELLINK): links[try Self.linkKey(payload)] = nil
        case Int(RTM_DELADDR): if let whole = try AddressCodec.read(payload) { addresses[Self.key(whole)] = nil }
        default: break
        }
        return false
    }

    private mutating func isRepeated(link payload: RawSpan) throws(WireError) -> Bool {
        guard let whole = try LinkCodec.readWhole(payload) else { return false }
        let key = try Self.linkKey(payload)
        var group: UInt32 = 0
        var otherNames: [UInt8] = []
        var isEvent = false
        try WireReader.forEachAttribute(in: payload, from: 16) { (type, value) throws(WireError) in
            switch Int(type) {
            case IFLA_GROUP: group = try value.load(at: 0)
            case IFLA_PROP_LIST: otherNames = try value.bytes(0..<value.byteCount)
            case IFLA_WIRELESS: isEvent = true
            default: break
            }
        }
        // An event of a wireless link tells its flags and nothing else of the link (net/wireless/wext-core.c).
        if isEvent { return links[key]?.whole.facts.flags == whole.facts.flags }
        let link = Link(whole: whole, group: group, otherNames: otherNames)
        return links.updateValue(link, forKey: key) == link
    }

    private static func linkKey(_ payload: RawSpan) throws(WireError) -> LinkKey {
        LinkKey(index: try payload.load(at: 4), family: try payload.load(at: 0))
    }

    private mutating func isRepeated(address payload: RawSpan) throws(WireError) -> Bool {
        guard let whole = try AddressCodec.read(payload) else { return false }
        var isPreferred = true
        try WireReader.forEachAttribute(in: payload, from: 8) { (type, value) throws(WireError) in
            // struct ifa_cacheinfo of linux/if_addr.h begins with ifa_prefered.
            if Int(type) == IFA_CACHEINFO { isPreferred = try value.load(UInt32.self, at: 0) > 0 }
        }
        let address = Address(whole: whole, isPreferred: isPreferred)
        return addresses.updateValue(address, forKey: Self.key(whole)) == address
    }

    private static func key(_ whole: NetworkInventory.Address) -> AddressKey {
        let own = whole.address
        let isIPv4 = own.address.family == .v4
        return AddressKey(
            interface: own.interface, address: own.address,
            ipv4: isIPv4 ? AddressKey.IPv4Only(peer: whole.peer, prefixLength: own.prefixLength) : nil)
    }
}
