// SPDX-License-Identifier: Apache-2.0

package import Netlink
package import NetworkFacts

/// What has to be looked at again. Events end up here and nowhere else: they say that something changed, never what
/// the answer is now.
package struct PendingChanges: Sendable {
    /// More prefixes than this are not worth telling apart.
    static let prefixLimit = 512

    /// Every watched target has to be looked at.
    package private(set) var everything = false
    package private(set) var prefixes: Set<Prefix> = []
    /// Addresses or links changed, which the path model also looks at.
    package private(set) var links = false

    package init() {}

    package var isEmpty: Bool { !everything && prefixes.isEmpty }

    package mutating func add(_ announcement: Announcement) {
        switch announcement {
        case .route(let prefix):
            guard !everything else { return }
            prefixes.insert(prefix)
            if prefixes.count > Self.prefixLimit { addAllRoutes() }
        case .links, .addresses, .other:
            addEverything()
        case .rules, .nextHops, .configuration:
            addAllRoutes()
        }
    }

    /// Adds the routes that another holds.
    package mutating func addRoutes(of other: PendingChanges) {
        if other.everything { addAllRoutes() }
        for prefix in other.prefixes { add(.route(prefix)) }
    }

    /// Anything may have changed, as after lost announcements.
    package mutating func addEverything() {
        links = true
        addAllRoutes()
    }

    /// Any route may have changed, but no link and no address.
    private mutating func addAllRoutes() {
        everything = true
        prefixes = []
    }

    /// Takes all of it.
    package mutating func take() -> PendingChanges {
        defer { self = PendingChanges() }
        return self
    }
}
