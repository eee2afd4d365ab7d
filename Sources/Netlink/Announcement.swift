// SPDX-License-Identifier: Apache-2.0
package import NetworkFacts

package enum Announcement: Hashable, Sendable {
    case route(Prefix), links, addresses, rules, nextHops, configuration, other
    package static func read(header: MessageHeader, payload: RawSpan) throws(WireError) -> Announcement? { .other }
}
