// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// An option without a value.
enum FlagOption: String, CaseIterable {
    case json = "--json"
    case explain = "--explain"
    case watch = "--watch"

    var verbs: [Arguments.Verb] {
        switch self {
        case .json: [.check, .watch, .path]
        case .explain: [.check]
        case .watch: [.path]
        }
    }

    /// Why the option does not fit a verb.
    func reasonAgainst(_ verb: Arguments.Verb) -> String {
        switch (self, verb) {
        case (.watch, .check): "but there is a verb `watch`"
        case (.watch, .watch): "which prints changes in any case"
        case (_, .wait): "which prints no answers"
        case (_, .path): "which prints everything in any case"
        default: "which prints one line for each change"
        }
    }

    func apply(to arguments: inout Arguments) {
        switch self {
        case .json: arguments.isJSON = true
        case .explain: arguments.isExplaining = true
        case .watch: arguments.isWatching = true
        }
    }
}

/// An option that takes a value. Each fits every verb that takes targets.
enum ValueOption: String, CaseIterable {
    case interface = "--interface"
    case source = "--source"
    case mark = "--mark"
    case userID = "--uid"
    case namespace = "--netns"
    case timeout = "--timeout"
    case server = "--server"
    case policy = "--policy"

    var expectation: String {
        switch self {
        case .interface: "the name of an interface, such as eth0"
        case .source: "an address of this machine, such as 192.0.2.1"
        case .mark: "a firewall mark, such as 42 or 0x2a"
        case .userID: "the number of a user, such as 1000"
        case .namespace: "the name of a network namespace, or the path of its file"
        case .timeout: "a number of seconds, such as 2.5, at most a year"
        case .server: "the address of a name server, such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353"
        case .policy: "'resolve' or 'optimistic'"
        }
    }

    /// Returns false if the value is invalid.
    func apply(_ value: String, to arguments: inout Arguments) -> Bool {
        guard !value.isEmpty else { return false }
        switch self {
        case .interface:
            arguments.options.interface = value
        case .source:
            guard AddressText(value) != nil else { return false }
            arguments.options.sourceAddress = value
        case .mark:
            guard let number = Self.number(value) else { return false }
            arguments.options.mark = number
        case .userID:
            guard let number = UInt32(value) else { return false }
            arguments.options.userID = number
        case .namespace:
            arguments.options.networkNamespace = value.contains("/") ? .path(value) : .name(value)
        case .timeout:
            guard let duration = Self.seconds(value) else { return false }
            if arguments.verb == .wait {
                arguments.timeout = duration
            } else {
                arguments.options.resolutionTimeout = duration
            }
        case .server:
            guard ServerText(value) != nil else { return false }
            arguments.options.nameServers = (arguments.options.nameServers ?? []) + [value]
        case .policy:
            guard let policy = ReachabilityOptions.ResolutionPolicy(rawValue: value) else { return false }
            arguments.options.resolutionPolicy = policy
        }
        return true
    }

    private static func number(_ text: String) -> UInt32? {
        text.lowercased().hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
    }

    /// Reads decimal seconds, at most a year. Exponents and infinity are refused.
    private static func seconds(_ text: String) -> Duration? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let value = Double(text),
            value <= 366 * 86_400
        else { return nil }
        return .milliseconds(Int64((value * 1000).rounded(.up)))
    }
}
