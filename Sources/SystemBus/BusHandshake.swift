// SPDX-License-Identifier: Apache-2.0

/// Authenticates this process to a bus (D-Bus Specification, "Authentication Protocol") by the mechanism EXTERNAL: the
/// bus asks the kernel for the user.
///
/// The client names no user. In a container's user namespace our user number may differ from the one the bus sees.
package struct BusHandshake: Sendable {
    /// What to do after a line.
    package enum Step: Hashable, Sendable {
        case send([UInt8])
        /// The bus accepts this process. Send this before the first message.
        case done([UInt8])
        case refused
    }

    private enum State {
        case started, sentData, over
    }

    private var state = State.started

    package init() {}

    /// A client's first bytes. Some systems pass credentials with the zero byte.
    package static let opening = [0] + Array("AUTH EXTERNAL\r\n".utf8)

    package mutating func take(_ line: String) -> Step {
        let word = line.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
        switch (state, word) {
        case (.started, "DATA"):
            state = .sentData
            return .send(Array("DATA\r\n".utf8))
        case (.started, "OK"), (.sentData, "OK"):
            state = .over
            return .done(Array("BEGIN\r\n".utf8))
        default:
            state = .over
            return .refused
        }
    }
}
