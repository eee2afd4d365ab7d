// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// The answer for a target, with everything that led to it.
///
/// ```swift
/// print(try ReachabilityRef(address: "192.0.2.1").explain())
/// ```
public struct Explanation: Hashable, Sendable {
    /// The target in its canonical form.
    public let target: String
    /// The flags, as ``ReachabilityRef/getFlags()`` returns them.
    public let flags: ReachabilityFlags
    /// The name of the interface by which packets would leave.
    public let interface: String?
    /// The gateway to which packets would be sent.
    public let gateway: String?
    /// The address from which packets would be sent.
    public let source: String?
    /// The routing table that holds the route: a number, or its name if it has that name on every system.
    package let table: String?
    /// The addresses that were evaluated.
    public let addresses: [String]
    /// How the kernel was asked.
    public let lookupMethod: LookupMethod
    /// The fact that decided the answer, in one clause.
    public let reason: String
    /// The reason as an identifier that never changes, such as `no_route`. The manual page of `reachability` lists them all.
    public let reasonCode: String
    /// The reason in a few words, and whether nothing could be found out.
    package let reasonWords: String
    package let isUndetermined: Bool
    /// The questions and the facts found, in order.
    public let steps: [Step]

    /// A way to ask the kernel for a route.
    public typealias LookupMethod = ReachabilityRoutes.LookupMethod

    /// One line of an explanation.
    public struct Step: Hashable, Sendable {
        /// The subject in one word, such as asked, route, link or flag.
        public let subject: String
        /// The text of the line.
        public let text: String

        package init(_ subject: String, _ text: String) {
            self.subject = subject
            self.text = text
        }
    }

    package init(
        target: String, flags: ReachabilityFlags, interface: String? = nil, gateway: String? = nil,
        source: String? = nil, table: String? = nil, addresses: [String] = [], lookupMethod: LookupMethod,
        reason: Reason, steps: [Step]
    ) {
        self.init(
            target: target, flags: flags, interface: interface, gateway: gateway, source: source, table: table,
            addresses: addresses, lookupMethod: lookupMethod, reason: reason.description, code: reason.code,
            words: reason.words, isUndetermined: reason.isUndetermined, steps: steps)
    }

    package init(
        target: String, flags: ReachabilityFlags, interface: String? = nil, gateway: String? = nil,
        source: String? = nil, table: String? = nil, addresses: [String] = [], lookupMethod: LookupMethod,
        reason: String, code: String, words: String, isUndetermined: Bool, steps: [Step]
    ) {
        self.target = target
        self.flags = flags
        self.interface = interface
        self.gateway = gateway
        self.source = source
        self.table = table
        self.addresses = addresses
        self.lookupMethod = lookupMethod
        self.reason = reason
        reasonCode = code
        reasonWords = words
        self.isUndetermined = isUndetermined
        self.steps = steps
    }
}

extension Explanation: CustomStringConvertible {
    /// The target with its flags, then a line for each step. Control characters are escaped.
    public var description: String { description(titled: target) }

    /// The same text with another name for the target, such as the one that the user wrote.
    ///
    /// - Parameter note: a step before all others.
    package func description(titled title: String, note: Step? = nil) -> String {
        let steps = (note.map { [$0] } ?? []) + steps
        let width = steps.map(\.subject.count).max() ?? 0
        let lines = steps.map { step in
            "  \(step.subject)\(String(repeating: " ", count: width - step.subject.count))  \(step.text)"
        }
        return (["\(title): \(flags)"] + lines).map(\.printable).joined(separator: "\n")
    }
}
