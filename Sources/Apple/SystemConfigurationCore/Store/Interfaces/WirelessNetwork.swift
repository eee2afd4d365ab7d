// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// The Wi-Fi network that an interface is in.
package struct WirelessNetwork: Hashable, Sendable {
    /// The SSID: up to 32 bytes, mostly UTF-8.
    package var name: [UInt8]
    /// The hardware address of the access point.
    package var accessPoint: [UInt8]

    package init(name: [UInt8], accessPoint: [UInt8]) {
        self.name = name
        self.accessPoint = accessPoint
    }
}

/// Asks nl80211, a family of generic netlink (linux/nl80211.h). Any process may ask.
package struct WirelessRequester {
    private let requester: NetlinkRequester

    /// Opens a socket in the namespace of the calling thread.
    package init() throws(NetlinkError) { requester = try NetlinkRequester(generic: true) }

    /// The network that an interface is in; nil if there is none, or if the kernel knows no Wi-Fi.
    package func network(of interface: InterfaceIndex) throws(NetlinkError) -> WirelessNetwork? {
        guard let family = try family(named: "nl80211") else { return nil }
        var network: WirelessNetwork?
        // The kernel lists all networks that it has heard of. One is marked as joined.
        try requester.dump { (sequence, message) in
            message.begin(type: Int32(family), flags: 0x300, sequence: sequence)  // NLM_F_DUMP
            message.append(WirelessCodec.header(command: 32))  // NL80211_CMD_GET_SCAN
            message.attribute(3, interface.rawValue)  // NL80211_ATTR_IFINDEX
            message.finish()
        } restart: {
            network = nil
        } read: { (_, payload) throws(WireError) in
            if let joined = try WirelessCodec.joinedNetwork(payload) { network = joined }
        }
        return network
    }

    /// The number of a family; nil if the kernel does not have it.
    package func family(named name: String) throws(NetlinkError) -> UInt16? {
        try requester.askOne(isAbsence: { $0 == .noSuchFile }) { (sequence, message) in
            message.begin(type: 0x10, flags: 0, sequence: sequence)  // GENL_ID_CTRL
            message.append(WirelessCodec.header(command: 3))  // CTRL_CMD_GETFAMILY
            message.attribute(2, name)  // CTRL_ATTR_FAMILY_NAME
            message.finish()
        } read: { (payload) throws(WireError) in
            try WirelessCodec.family(payload)
        }
    }
}

/// The wire form of these messages (linux/genetlink.h, linux/nl80211.h).
package enum WirelessCodec {
    /// struct genlmsghdr: the command, a version and two reserved bytes, in memory order.
    static func header(command: UInt8) -> InlineArray<4, UInt8> { [command, 1, 0, 0] }

    private static let headerSize = 4

    /// Reads the answer about a family: CTRL_ATTR_FAMILY_ID.
    package static func family(_ payload: RawSpan) throws(WireError) -> UInt16? {
        var number: UInt16?
        try WireReader.forEachAttribute(in: payload, from: headerSize) { (type, value) throws(WireError) in
            if type == 1 { number = try value.load(at: 0) }
        }
        return number
    }

    /// Reads a network of a scan. Nil if the interface has not joined it.
    package static func joinedNetwork(_ payload: RawSpan) throws(WireError) -> WirelessNetwork? {
        var network = WirelessNetwork(name: [], accessPoint: [])
        var elements: [UInt8] = []
        var isJoined = false
        try WireReader.forEachAttribute(in: payload, from: headerSize) { (type, bss) throws(WireError) in
            guard type == 47 else { return }  // NL80211_ATTR_BSS
            try WireReader.forEachAttribute(in: bss) { (type, value) throws(WireError) in
                switch type {
                case 1: network.accessPoint = try value.bytes(0..<value.byteCount)  // NL80211_BSS_BSSID
                case 6, 11:  // NL80211_BSS_INFORMATION_ELEMENTS, NL80211_BSS_BEACON_IES
                    if elements.isEmpty { elements = try value.bytes(0..<value.byteCount) }
                // NL80211_BSS_STATUS: 0 authenticated, 1 associated, 2 in an ad-hoc network
                case 9: isJoined = try value.load(UInt32.self, at: 0) != 0
                default: break
                }
            }
        }
        guard isJoined, network.accessPoint.count == 6 else { return nil }
        network.name = name(elements)
        return network
    }

    /// Finds the SSID among information elements: a number, a length and contents each (IEEE 802.11 9.4.2). They are what an access
    /// point has sent, and may be cut off: then there is no name.
    private static func name(_ elements: [UInt8]) -> [UInt8] {
        var rest = elements[...]
        while rest.count >= 2 {
            let (number, length) = (rest[rest.startIndex], Int(rest[rest.startIndex + 1]))
            let contents = rest.dropFirst(2).prefix(length)
            guard contents.count == length else { break }
            if number == 0 { return Array(contents) }
            rest = rest[contents.endIndex...]
        }
        return []
    }
}
