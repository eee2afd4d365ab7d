// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
package import Netlink

/// One question to the kernel, and everything that was learned from its answer. Explanations are made of these.
package struct LookupRecord: Hashable, Sendable {
    /// Why the question was asked.
    package enum Purpose: Hashable, Sendable {
        case target
        /// To find out whether the local address of a pair belongs to this machine.
        case ownership
        /// To find the default route of one family.
        case defaultPath
    }

    package var purpose: Purpose
    package var query: RouteQuery
    /// Whether the question is put for the second time, as connect(2) looks up twice.
    package var isRepeated: Bool
    /// The keys from the reference's options. Any others in the question come from the process's control group.
    package var given: RoutingKeys
    package var answer: RouteAnswer
    /// What the rules of the family look at.
    package var rules: RoutingRules
    package var link: LinkFacts?
    /// Nil if the answer did not decide, because the kernel looks up again.
    package var verdict: Verdict?

    /// Whether a rule names the sender's port, which the socket chooses when it connects, or the receiver's, which was not
    /// given.
    package var dependsOnPorts: Bool {
        rules.contains(.sourcePorts) || rules.contains(.destinationPorts) && query.port == nil
    }

    package init(
        purpose: Purpose, query: RouteQuery, isRepeated: Bool = false, given: RoutingKeys = RoutingKeys(),
        rules: RoutingRules = [],
        answer: RouteAnswer, link: LinkFacts?, verdict: Verdict?
    ) {
        self.purpose = purpose
        self.query = query
        self.isRepeated = isRepeated
        self.given = given
        self.answer = answer
        self.rules = rules
        self.link = link
        self.verdict = verdict
    }
}
