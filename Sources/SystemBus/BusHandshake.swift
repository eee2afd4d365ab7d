// SPDX-License-Identifier: Apache-2.0

/// Proves to a bus who we are (D-Bus Specification, "Authentication Protocol"): by the mechanism EXTERNAL, in which the
/// kernel tells it.
///
/// No user is named: the bus takes the kernel's word for it. Our own number of the user may be another than the bus's,
/// which is in the machine's user namespace while we may be in a container's.
package struct BusHandshake: Sendable {
    /// What to do about a line.
    package enum Step: Hashable, Sendable {
        case say([UInt8])
        /// We are let in; this is said first.
        case done([UInt8])
        case refused
    }

    private enum State {
        case introduced, claimed, over
    }

    private var state = State.introduced

    package init() {}

    /// What a client begins with. The zero stands for where other systems pass credentials.
    package static let opening = [0] + Array("AUTH EXTERNAL\r\n".utf8)

    package mutating func take(_ line: String) -> Step {
        let word = line.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
        switch (state, word) {
        case (.introduced, "DATA"):
            state = .claimed
            return .say(Array("DATA\r\n".utf8))
        case (.introduced, "OK"), (.claimed, "OK"):
            state = .over
            return .done(Array("BEGIN\r\n".utf8))
        default:
            state = .over
            return .refused
        }
    }
}
