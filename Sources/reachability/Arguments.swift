// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// The parsed command line.
struct Arguments: Equatable {
    enum Verb: String, CaseIterable {
        case check, watch, wait, path
    }

    var verb = Verb.check
    var isJSON = false
    var isExplaining = false
    /// For `path`: whether to print changes too.
    var isWatching = false
    /// For `wait`, the longest it may take. The other verbs have a timeout for each name, in `options`.
    var timeout: Duration?
    var options = ReachabilityOptions()
    var targets: [String] = []
}

/// What the command line requests.
enum Request: Equatable {
    case run(Arguments)
    /// The general help, or that of a verb.
    case help(Arguments.Verb?)
    case version
    /// One sentence for each mistake.
    case refuse([String])
}
