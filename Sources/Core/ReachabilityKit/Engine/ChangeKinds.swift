// SPDX-License-Identifier: Apache-2.0

import Netlink

/// What made the engine look at its targets: the announcements since the look before, and other events. It says why there
/// was a look, and not what has changed.
package struct ChangeKinds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let route = ChangeKinds(rawValue: 1)
    package static let link = ChangeKinds(rawValue: 2)
    package static let address = ChangeKinds(rawValue: 4)
    package static let rule = ChangeKinds(rawValue: 8)
    package static let nextHop = ChangeKinds(rawValue: 16)
    /// A setting of the kernel's network code, such as forwarding.
    package static let setting = ChangeKinds(rawValue: 32)
    /// A name was resolved.
    package static let name = ChangeKinds(rawValue: 64)
    /// The lifetime of a route has ended.
    package static let expiry = ChangeKinds(rawValue: 128)
    /// Announcements were lost, or one was not understood, or new sockets have other properties.
    package static let other = ChangeKinds(rawValue: 256)

    private static let vocabulary: [(ChangeKinds, String)] = [
        (.link, "link"), (.address, "address"), (.route, "route"), (.rule, "rule"), (.nextHop, "nexthop"),
        (.setting, "setting"), (.name, "name"), (.expiry, "expiry"), (.other, "other"),
    ]

    /// Each cause as a word.
    package var words: [String] { Self.vocabulary.filter { contains($0.0) }.map(\.1) }

    init(_ announcement: Announcement) {
        self =
            switch announcement {
            case .route: .route
            case .links: .link
            case .addresses: .address
            case .rules: .rule
            case .nextHops: .nextHop
            case .configuration: .setting
            case .other: .other
            }
    }
}
