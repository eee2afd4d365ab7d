// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// Where names are looked up, in order: the `hosts` line of nsswitch.conf(5).
package struct NameSources: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        case files
        case dns
        /// nss-resolve(8), which asks systemd-resolved. That knows the hosts file, this machine's name, and DNS.
        case resolve
        /// nss-myhostname(8).
        case ownHostName
        /// A module of the C library.
        case module(String)

        init(_ service: String) {
            self =
                switch service {
                case "files": .files
                case "dns": .dns
                case "resolve": .resolve
                case "myhostname": .ownHostName
                default: .module(service)
                }
        }
    }

    /// What came of asking a source.
    package enum Status: String, CaseIterable, Hashable, Sendable {
        case success, notFound = "notfound", unavailable = "unavail", tryAgain = "tryagain"
    }

    package struct Step: Hashable, Sendable {
        package let source: Source
        /// After these no further source is asked.
        package var ends: Set<Status> = [.success]
    }

    package private(set) var steps: [Step]

    /// What glibc does without such a line.
    package static let standard = NameSources(steps: [Step(source: .files), Step(source: .dns)])

    private init(steps: [Step]) {
        self.steps = steps
    }

    /// Reads the text of the file. With a malformed line there are no sources, as in glibc (nss/nss_action_parse.c).
    package init(parsing text: String) {
        self = .standard
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.prefix { $0 != "#" }.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].filter({ !$0.isWhitespace }) == "hosts" else { continue }
            steps = Self.steps(parts[1]) ?? []
        }
    }

    private static func steps(_ text: Substring) -> [Step]? {
        var steps: [Step] = []
        var rest = text.drop(while: \.isWhitespace)
        while let first = rest.first {
            if first == "[" {
                guard let end = rest.firstIndex(of: "]"), var step = steps.popLast() else { return nil }
                for rule in rest[..<end].dropFirst().split(whereSeparator: \.isWhitespace) {
                    guard apply(rule.lowercased(), to: &step) else { return nil }
                }
                steps.append(step)
                rest = rest[end...].dropFirst()
            } else {
                let name = rest.prefix { $0 != "[" && !$0.isWhitespace }
                steps.append(Step(source: Source(String(name))))
                rest = rest[name.endIndex...]
            }
            rest = rest.drop(while: \.isWhitespace)
        }
        return steps.isEmpty ? nil : steps
    }

    /// Applies a rule such as `notfound=return` or `!unavail=return`.
    private static func apply(_ rule: String, to step: inout Step) -> Bool {
        let parts = rule.split(separator: "=", omittingEmptySubsequences: false)
        let isNegated = rule.hasPrefix("!")
        guard parts.count == 2, let status = Status(rawValue: String(parts[0].dropFirst(isNegated ? 1 : 0))) else {
            return false
        }
        let concerned = isNegated ? Set(Status.allCases).subtracting([status]) : [status]
        switch parts[1] {
        // glibc merges no addresses either: it fails for a name that the source knows, and ends as with "return" otherwise.
        case "return", "merge": step.ends.formUnion(concerned)
        case "continue": step.ends.subtract(concerned)
        default: return false
        }
        return true
    }
}
