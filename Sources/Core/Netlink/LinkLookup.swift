// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// Requests for one link (RTM_GETLINK, rtnetlink(7)).
extension NetlinkRequester {
    /// The facts of one link, except those of its uevent; nil if no link has this index.
    package func link(_ index: InterfaceIndex) throws(NetlinkError) -> LinkFacts? {
        try askOne(isAbsence: { $0 == .noSuchDevice }) { (sequence, message) in
            LinkCodec.write(index: index.rawValue, sequence: sequence, into: &message)
        } read: { (payload) throws(WireError) in
            try LinkCodec.read(payload)
        }
    }

    /// The index of the link that has a name now; nil if there is none.
    package func linkIndex(of name: String) throws(NetlinkError) -> InterfaceIndex? {
        // For a name that is too long the kernel returns EINVAL or ERANGE, depending on its version.
        try askOne(isAbsence: { [.noSuchDevice, .invalidArgument, .outOfRange].contains($0) }) { (sequence, message) in
            LinkCodec.write(name: name, sequence: sequence, into: &message)
        } read: { (payload) throws(WireError) in
            try LinkCodec.read(payload)?.index
        }
    }
}

/// The wire form of links (struct ifinfomsg and IFLA_…, linux/if_link.h).
package enum LinkCodec {
    /// Writes a request for the link that has an index or a name.
    static func write(
        index: UInt32 = 0, name: String? = nil, flags: Int32 = 0, sequence: UInt32, into message: inout MessageBuilder
    ) {
        message.begin(type: Int32(RTM_GETLINK), flags: flags, sequence: sequence)
        message.append(0 as UInt32)  // ifi_family, padding, ifi_type
        message.append(index)
        message.append(0 as UInt64)  // ifi_flags, ifi_change
        if let name { message.attribute(IFLA_IFNAME, name) }
        // Statistics would be a third of the answer, and are not needed.
        message.attribute(IFLA_EXT_MASK, UInt32(RTEXT_FILTER_SKIP_STATS))
        message.finish()
    }

    /// Writes a request for all links.
    static func writeDump(sequence: UInt32, into message: inout MessageBuilder) {
        write(flags: Int32(NLM_F_DUMP), sequence: sequence, into: &message)
    }

    /// Reads an RTM_NEWLINK message. Returns nil if it is about no link, or does not name it.
    package static func read(_ payload: RawSpan) throws(WireError) -> LinkFacts? {
        guard let index = InterfaceIndex(try payload.load(at: 4)) else { return nil }
        // Linux tells the state of each link that it is asked for. gVisor does not have one, and its links work.
        var facts = LinkFacts(
            index: index, name: "", hardwareType: try payload.load(at: 2),
            flags: .init(rawValue: try payload.load(at: 8)), operationalState: .unknown)
        try WireReader.forEachAttribute(in: payload, from: 16) { (type, value) throws(WireError) in
            switch Int(type) {
            case IFLA_IFNAME: facts.name = try value.text()
            case IFLA_OPERSTATE: facts.operationalState = .init(rawValue: try value.load(at: 0)) ?? .unknown
            case IFLA_MASTER: facts.master = InterfaceIndex(try value.load(at: 0))
            case IFLA_LINKINFO:
                try WireReader.forEachAttribute(in: value) { (type, value) throws(WireError) in
                    if Int(type) == IFLA_INFO_KIND { facts.kind = try value.text() }
                }
            default: break
            }
        }
        return facts.name.isEmpty ? nil : facts
    }
}
