// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// The routes that have to be looked up again. Announcements are used for nothing else: they say that something has changed,
/// never what the answer is now.
package struct PendingChanges: Sendable {
    /// More prefixes than this are replaced by `everything`.
    static let prefixLimit = 512

    /// Whether every watched target has to be looked up.
    package private(set) var everything = false
    /// Each prefix once, in a fixed order.
    package private(set) var prefixes: [Prefix] = []
    /// Whether links or addresses may have changed. The path and the machine's own names depend on this; for targets it means
    /// `everything`.
    package private(set) var links = false
    /// Whether a change may be announced that the kernel has not made yet (see `Freshness`), or whose announcement has not
    /// reached the socket that sends the requests, as the kernel notifies one socket after the other (do_one_broadcast in
    /// net/netlink/af_netlink.c). In either case an immediate lookup may find the old answer.
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

    /// Adds other changes to these.
    package mutating func add(_ other: PendingChanges) {
        let causes = causes.union(other.causes)
        links = links || other.links
        mayComeAfterAnnouncement = mayComeAfterAnnouncement || other.mayComeAfterAnnouncement
        if other.everything { addAllRoutes() }
        for prefix in other.prefixes { add(.route(prefix)) }
        self.causes = causes
    }

    /// Whether the answer for a target may depend on these changes.
    func concern(_ watch: WatchedTarget) -> Bool {
        guard !everything, !prefixes.isEmpty else { return everything }
        return watch.target.decidingAddresses.contains { address in prefixes.contains { $0.contains(address) } }
    }

    /// Notes that anything may have changed, for example after lost announcements.
    package mutating func addEverything() {
        causes.insert(.other)
        links = true
        mayComeAfterAnnouncement = true
        addAllRoutes()
    }

    /// Notes that any route may have changed, but no link and no address.
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

/// The causes of an evaluation: the announcements since the one before, and other events. They say why the engine evaluated, not
/// what has changed.
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
    /// A name has been resolved.
    package static let name = ChangeKinds(rawValue: 64)
    /// The lifetime of a route has ended.
    package static let expiry = ChangeKinds(rawValue: 128)
    /// Announcements were lost, one was not understood, or new sockets have other properties.
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
