// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// What has to be looked up again. Announcements become this and nothing else: they say that something changed, never what
/// the answer is now.
package struct PendingChanges: Sendable {
    /// More prefixes than this become `everything`.
    static let prefixLimit = 512

    /// Every watched target has to be looked up.
    package private(set) var everything = false
    /// Each once, in a fixed order.
    package private(set) var prefixes: [Prefix] = []
    /// Links or addresses may have changed. The path and the machine's own names depend on this; for targets it
    /// means `everything`.
    package private(set) var links = false
    /// Whether a change may be announced that is not made yet (see `Freshness`), or that the socket which asks has not been told of,
    /// as the kernel tells one after the other (do_one_broadcast in net/netlink/af_netlink.c). Then a lookup at once may find the old
    /// answer.
    package private(set) var mayComeAfterAnnouncement = false
    /// Why there are changes.
    package private(set) var causes = ChangeKinds()

    package init() {}

    package var isEmpty: Bool { !everything && prefixes.isEmpty }

    package mutating func add(_ announcement: Announcement) {
        causes.insert(ChangeKinds(announcement))
        switch announcement {
        case .route(let prefix, let isDeleted):
            if isDeleted, prefix.base.family == .v4 { mayComeAfterAnnouncement = true }
            guard !everything else { return }
            let place = prefixes.partitionPoint { ($0.base, $0.length) >= (prefix.base, prefix.length) }
            guard place == prefixes.count || prefixes[place] != prefix else { return }
            prefixes.insert(prefix, at: place)
            if prefixes.count > Self.prefixLimit { addAllRoutes() }
        case .links, .addresses, .other:
            links = true
            mayComeAfterAnnouncement = true
            addAllRoutes()
        case .nextHops, .rules:
            mayComeAfterAnnouncement = true
            addAllRoutes()
        case .configuration:
            addAllRoutes()
        }
    }

    /// Adds those of another.
    package mutating func add(_ other: PendingChanges) {
        let causes = causes.union(other.causes)
        links = links || other.links
        mayComeAfterAnnouncement = mayComeAfterAnnouncement || other.mayComeAfterAnnouncement
        if other.everything { addAllRoutes() }
        for prefix in other.prefixes { add(.route(prefix)) }
        self.causes = causes
    }

    /// Whether the answer for a target may depend on them.
    func concern(_ watch: WatchedTarget) -> Bool {
        guard !everything, !prefixes.isEmpty else { return everything }
        return watch.target.decidingAddresses.contains { address in prefixes.contains { $0.contains(address) } }
    }

    /// Anything may have changed, for example after lost announcements.
    package mutating func addEverything() {
        causes.insert(.other)
        links = true
        mayComeAfterAnnouncement = true
        addAllRoutes()
    }

    /// Any route may have changed, but no link and no address.
    private mutating func addAllRoutes() {
        everything = true
        prefixes = []
    }

    /// Removes and returns all changes.
    package mutating func removeAll() -> PendingChanges {
        defer { self = PendingChanges() }
        return self
    }
}

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
