// SPDX-License-Identifier: Apache-2.0

package import NetworkFacts

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
    /// The keys from the reference's options. Any others in the question come from the process's control group.
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
