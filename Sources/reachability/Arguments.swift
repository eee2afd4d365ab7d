// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// The command line, understood.
struct Arguments: Equatable {
    enum Verb: String, CaseIterable {
        case check, watch, wait, path
    }

    var verb = Verb.check
    var isJSON = false
    var isExplaining = false
    /// For `path`: each change too.
    var isWatching = false
    /// For `wait`, the longest the whole call may take; the other verbs have it in their options, for each name.
    var timeout: Duration?
    var options = ReachabilityOptions()
    var targets: [String] = []
}

/// What the words of the command line ask for.
enum Request: Equatable {
    case run(Arguments)
    /// The general help, or that of a verb.
    case help(Arguments.Verb?)
    case version
    /// Everything that is wrong, a sentence each.
    case refuse([String])
}
