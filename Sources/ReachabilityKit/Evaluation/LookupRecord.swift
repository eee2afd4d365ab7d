// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

/// One question put to the kernel and all that was learned from it: what an explanation is made of.
package struct LookupRecord: Hashable, Sendable {
    /// What the question was asked for.
    package enum Purpose: Hashable, Sendable {
        case target
        /// Whether the local address of a pair is this machine's.
        case ownership
        /// The way out in one family.
        case defaultPath
    }

    package var purpose: Purpose
    package var query: RouteQuery
    /// What the reference's options said. What is in the question besides comes from the process's control group.
    package var given: RoutingKeys
    package var answer: RouteAnswer
    package var details: RouteDetails
    package var link: LinkFacts?
    package var verdict: Verdict

    package init(
        purpose: Purpose, query: RouteQuery, given: RoutingKeys = RoutingKeys(), answer: RouteAnswer,
        details: RouteDetails = RouteDetails(),
        link: LinkFacts?, verdict: Verdict
    ) {
        self.purpose = purpose
        self.query = query
        self.given = given
        self.answer = answer
        self.details = details
        self.link = link
        self.verdict = verdict
    }
}
