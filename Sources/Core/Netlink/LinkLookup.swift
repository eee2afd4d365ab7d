// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

@_implementationOnly import CLinux

/// Requests for one link (RTM_GETLINK, rtnetlink(7)).
extension NetlinkRequester {
    /// The facts of one link, except those of its uevent; nil if no link has this index.
    package func link(_ index: InterfaceIndex) throws(NetlinkError) -> LinkFacts? {
        var facts: LinkFacts?
        var failure: NetlinkError?
        try ask(count: 1) { (_, sequence, message) in
            LinkCodec.write(index, sequence: sequence, into: &message)
        } read: { (_, answer, payload) throws(WireError) in
            switch answer {
            case .message: facts = try LinkCodec.read(payload)?.facts
            case .failure(.noSuchDevice): break
            case .failure(let error): failure = .refused(error)
            }
        }
        if let failure { throw failure }
        return facts
    }

    /// The index of the link that has a name now; nil if there is none.
    package func linkIndex(of name: String) throws(NetlinkError) -> InterfaceIndex? {
        var index: InterfaceIndex?
        var failure: NetlinkError?
        try ask(count: 1) { (_, sequence, message) in
            LinkCodec.write(named: name, sequence: sequence, into: &message)
        } read: { (_, answer, payload) throws(WireError) in
            switch answer {
            case .message: index = try LinkCodec.read(payload)?.index
            // For a name that is too long the kernel returns EINVAL or ERANGE, depending on its version.
            case .failure(.noSuchDevice), .failure(.invalidArgument), .failure(.outOfRange): break
            case .failure(let error): failure = .refused(error)
            }
        }
        if let failure { throw failure }
        return index
    }
}

/// The wire form of links (struct ifinfomsg and IFLA_…, linux/if_link.h).
package enum LinkCodec {
    static func write(_ index: InterfaceIndex, sequence: UInt32, into message: inout MessageBuilder) {
        message.begin(type: Int32(RTM_GETLINK), flags: 0, sequence: sequence)
        writeBody(index.rawValue, into: &message)
    }

    static func write(named name: String, sequence: UInt32, into message: inout MessageBuilder) {
        message.begin(type: Int32(RTM_GETLINK), flags: 0, sequence: sequence)
        message.append(0 as UInt64)  // ifi_family, padding, ifi_type, ifi_index
        message.append(0 as UInt64)  // ifi_flags, ifi_change
        message.attribute(IFLA_IFNAME, name)
        message.attribute(IFLA_EXT_MASK, UInt32(RTEXT_FILTER_SKIP_STATS))
        message.finish()
    }

    static func writeDump(sequence: UInt32, into message: inout MessageBuilder) {
        message.begin(type: Int32(RTM_GETLINK), flags: Int32(NLM_F_DUMP), sequence: sequence)
        writeBody(0, into: &message)
    }

    private static func writeBody(_ index: UInt32, into message: inout MessageBuilder) {
        message.append(0 as UInt32)  // ifi_family, padding, ifi_type
        message.append(index)
        message.append(0 as UInt64)  // ifi_flags, ifi_change
        // Statistics would be a third of the answer, and are not needed.
        message.attribute(IFLA_EXT_MASK, UInt32(RTEXT_FILTER_SKIP_STATS))
        message.finish()
    }

    /// The contents of one link message. Messages of wireless extensions carry only a name and flags. Attributes that may
    /// be missing are optional, so that a missing one is never taken for zero.
    package struct Report: Hashable, Sendable {
        package var index: InterfaceIndex
        package var hardwareType: UInt16
        package var flags: LinkFacts.Flags
        package var name: String?
        package var operationalState: LinkFacts.OperationalState?
        package var kind: String?
        package var master: InterfaceIndex?

        /// The facts of the link, if the message is the answer to a question about it. Linux always tells the state then.
        /// gVisor does not have one, and its links work.
        package var facts: LinkFacts? {
            guard let name else { return nil }
            return LinkFacts(
                index: index, name: name, hardwareType: hardwareType, flags: flags,
                operationalState: operationalState ?? .unknown, kind: kind, master: master)
        }
    }

    /// Reads an RTM_NEWLINK or RTM_DELLINK message. Returns nil if it is about no link.
    package static func read(_ payload: RawSpan) throws(WireError) -> Report? {
        guard let index = InterfaceIndex(try payload.load(at: 4)) else { return nil }
        var report = Report(
            index: index, hardwareType: try payload.load(at: 2), flags: .init(rawValue: try payload.load(at: 8)))
        try WireReader.forEachAttribute(in: payload, from: 16) { (type, value) throws(WireError) in
            switch Int(type) {
            case IFLA_IFNAME: report.name = try value.text()
            case IFLA_OPERSTATE: report.operationalState = .init(rawValue: try value.load(at: 0))
            case IFLA_MASTER: report.master = InterfaceIndex(try value.load(at: 0))
            case IFLA_LINKINFO:
                try WireReader.forEachAttribute(in: value) { (type, value) throws(WireError) in
                    if Int(type) == IFLA_INFO_KIND { report.kind = try value.text() }
                }
            default: break
            }
        }
        return report
    }
}
