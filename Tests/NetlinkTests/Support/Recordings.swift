// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// Messages as Linux 6.18 on x86-64 sent them, recorded in a fresh network namespace with a pair of veth links. The files are
/// seeds of `make fuzz` too.
enum Recordings {
    static func bytes(_ name: String) -> [UInt8] {
        let folder = #filePath.replacing("NetlinkTests/Support/Recordings.swift", with: "Fuzz/Corpus/messages")
        return try! Files.contents(of: "\(folder)/\(name)")
    }

    static func announcement(_ name: String) -> [UInt8] { bytes("announcement-\(name)") }
}

/// Sequence and port are those of the recording; `ScriptedTransport.stamped` replaces them.
enum RecordedAnswers {
    /// The route taken to 198.51.100.9: `198.51.100.0/24 via 192.0.2.2 metric 7`.
    static let plain4 = Recordings.bytes("answer-plain4")
    /// The same, asked with RTM_F_FIB_MATCH.
    static let match4 = Recordings.bytes("answer-match4")
    /// To 203.0.113.9: `203.0.113.0/24 via inet6 2001:db8:1::9`.
    static let via6 = Recordings.bytes("answer-via6")
    /// To 8.8.8.8, without a default route.
    static let noRoute4 = Recordings.bytes("answer-noRoute4")
    /// To 2001:db8:2::5: `2001:db8:2::/48 via 2001:db8:1::2 expires 300`.
    static let plain6 = Recordings.bytes("answer-plain6")
    /// The same, asked with RTM_F_FIB_MATCH.
    static let match6 = Recordings.bytes("answer-match6")
    /// RTM_GETLINK for an index that no link has.
    static let noLink = Recordings.bytes("answer-noLink")
    /// RTM_GETLINK for v1, a veth link and port of a bridge, without statistics.
    static let link = Recordings.bytes("answer-link")
}
