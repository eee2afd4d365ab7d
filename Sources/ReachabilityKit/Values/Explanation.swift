// SPDX-License-Identifier: Apache-2.0

/// The answer for a target together with everything it was made of.
///
/// ```swift
/// print(try ReachabilityRef(address: "192.0.2.1").explain())
/// ```
public struct Explanation: Hashable, Sendable {
    /// The target, as it was understood.
    public let target: String
    /// The flags, as ``ReachabilityRef/getFlags()`` gives them.
    public let flags: ReachabilityFlags
    /// The name of the interface packets would leave by.
    public let interface: String?
    /// The gateway they would be handed to.
    public let gateway: String?
    /// The address they would be sent from.
    public let source: String?
    /// The addresses that were looked at.
    public let addresses: [String]
    /// Who answered.
    public let answeredBy: RouteSource
    /// What decided, in one clause.
    public let reason: String
    /// What was asked and learned, in order.
    public let steps: [Step]

    /// By what the kernel was asked.
    public enum RouteSource: String, Hashable, Sendable {
        /// A route lookup over netlink.
        case netlink
        /// Connecting a UDP socket, where netlink is forbidden. No packet is sent either way.
        case udp
    }

    /// One line of an explanation.
    public struct Step: Hashable, Sendable {
        /// What the line is about, in one word: asked, route, link, flag, …
        public let subject: String
        /// What there is to say about it.
        public let text: String

        package init(_ subject: String, _ text: String) {
            self.subject = subject
            self.text = text
        }
    }

    package init(
        target: String, flags: ReachabilityFlags, interface: String? = nil, gateway: String? = nil,
        source: String? = nil, addresses: [String] = [], answeredBy: RouteSource, reason: String, steps: [Step]
    ) {
        self.target = target
        self.flags = flags
        self.interface = interface
        self.gateway = gateway
        self.source = source
        self.addresses = addresses
        self.answeredBy = answeredBy
        self.reason = reason
        self.steps = steps
    }
}

extension Explanation: CustomStringConvertible {
    /// The target with its flags, and below it a line for each step. Control characters are written as escapes.
    public var description: String { description(titled: target) }

    /// The same, under another name for the target, such as the one it was given by.
    package func description(titled title: String) -> String {
        let width = steps.map(\.subject.count).max() ?? 0
        let lines = steps.map { step in
            "  \(step.subject)\(String(repeating: " ", count: width - step.subject.count))  \(step.text)"
        }
        return (["\(title): \(flags)"] + lines).map(\.printable).joined(separator: "\n")
    }
}
