// SPDX-License-Identifier: Apache-2.0

package import ReachabilityHostResolution
import ReachabilityResolverFiles

extension Reason {
    /// The name has no addresses, for the given reason.
    package static func notResolved(_ outcome: ResolutionOutcome) -> Reason {
        let (code, words, sentence) = outcome.names
        return .notAsked(
            StatedReason(
                code: code, words: words, sentence: sentence, isUndetermined: outcome.isUndetermined))
    }

    /// The name has addresses, but none of the family asked for.
    package static let otherFamily = Reason.notAsked(
        StatedReason(
            code: "no_address_of_family", words: "no address of that family",
            sentence: "the name has no address of the family asked for", isUndetermined: false))

    /// The reason why a name without addresses is not reachable.
    package static func unresolved(_ resolution: Resolution) -> Reason {
        let isOtherFamily = resolution.outcome == .noData && resolution.query.family != nil
        return resolution.addresses.isEmpty && !isOtherFamily ? .notResolved(resolution.outcome) : .otherFamily
    }

    /// All codes, for the test of the manual page.
    package static let allCodes: [String] = {
        let outcomes: [ResolutionOutcome] = [
            .noSuchName, .noData, .failed(AresStatus(code: 0)), .deadlinePassed, .noServerReachable,
            .noServerConfigured, .impossibleName,
        ]
        return routeCodes + [otherFamily.code] + outcomes.map { notResolved($0).code }
    }()
}

extension ResolutionOutcome {
    /// The outcome as text.
    package var sentence: String { names.sentence }

    /// Whether nothing could be found out: a name server was asked, and did not answer.
    fileprivate var isUndetermined: Bool {
        switch self {
        case .failed, .deadlinePassed, .cancelled, .couldNotAsk: true
        default: false
        }
    }

    fileprivate var names: (code: String, words: String, sentence: String) {
        switch self {
        case .addresses: ("no_addresses", "the name has no addresses", "the name has addresses")
        case .noData: ("no_addresses", "the name has no addresses", "the name exists, but has no addresses")
        case .noSuchName: ("no_such_name", "no such name", "there is no such name")
        case .failed(let status):
            ("name_servers_failed", "name servers failed", "the name servers failed to answer: \(status)")
        case .couldNotAsk(let error):
            ("could_not_ask", "name servers could not be asked", "the name servers could not be asked: \(error)")
        case .deadlinePassed: ("no_answer", "no name server answered", "no name server answered in time")
        case .cancelled: ("cancelled", "cancelled", "the lookup was cancelled")
        case .noServerReachable:
            ("no_name_server_reachable", "no name server is reachable", "none of the name servers can be reached")
        case .noServerConfigured:
            ("no_name_server_configured", "no name server is configured", "no name server is configured")
        case .impossibleName: ("impossible_name", "can never resolve", "it can never resolve")
        }
    }
}
