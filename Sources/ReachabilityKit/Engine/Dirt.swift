// SPDX-License-Identifier: Apache-2.0

package import Netlink
package import NetworkFacts

/// What has to be looked at again. Events end up here and nowhere else: they say that something changed, never what
/// the answer is now.
package struct Dirt: Sendable {
    /// More prefixes than this are not worth telling apart.
    static let prefixLimit = 512

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
            if prefixes.count > Self.prefixLimit { addEverything() }
        case .links, .addresses, .rules, .nextHops, .configuration, .other:
            addEverything()
        }
    }

    /// Adds what another holds.
    package mutating func add(_ other: Dirt) {
        if other.everything { addEverything() }
        for prefix in other.prefixes { add(.route(prefix)) }
    }

    package mutating func addEverything() {
        everything = true
        prefixes = []
    }

    /// Takes all of it.
    package mutating func take() -> Dirt {
        defer { self = Dirt() }
        return self
    }
}
