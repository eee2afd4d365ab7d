// SPDX-License-Identifier: Apache-2.0

import CReachabilityTesting
import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import TestTopology

/// The right flags of all targets, worked out from the output of the program `ip` alone. None of this package's code
/// for asking the kernel, or for keeping and judging answers, is used.
struct Oracle: Equatable {
    /// A question in the form that `ip route get` takes.
    typealias Question = String

    private let answers: [Question: Route]
    private let links: [String: Link]
    /// What the kernel tells no route to, although a socket connects (`untoldRoute` of the package says how that can be).
    private let untold: Set<Question>

    private struct Route: Equatable {
        let isLocal: Bool
        let hasGateway: Bool
        let hasSource: Bool
        let link: String
        /// What the kernel chose, for IPv4.
        let source: String?
    }

    private struct Link: Equatable {
        let state: String
        let marks: Set<Substring>

        var isBroken: Bool {
            !marks.contains("UP") || ["DOWN", "LOWERLAYERDOWN", "NOTPRESENT", "TESTING"].contains(state)
        }
    }

    /// Asks all questions in the calling thread's namespace.
    ///
    /// A socket that is connected to the broadcast address looks up twice (ip_route_connect in include/net/route.h). The second
    /// time it has a source, and packets leave by the interface that has this address (ip_route_output_key_hash_rcu in
    /// net/ipv4/route.c), which may be another than that of the first route.
    init(_ questions: [Question]) throws {
        var (answers, links) = try Self.ask(questions)
        if let source = answers[Self.broadcast]?.source {
            let question = "\(Self.broadcast) from \(source)"
            answers[Self.broadcast] = try Self.ask([question]).answers[question]
        }
        (self.answers, self.links) = (answers, links)
        untold = Set(questions.filter { answers[$0] == nil && Self.connects($0) })
    }

    /// Whether a UDP socket connects to an IPv6 address.
    private static func connects(_ question: Question) -> Bool {
        let words = question.split(separator: " ").map(String.init)
        func value(of key: String) -> String? { words.firstIndex(of: key).map { words[$0 + 1] } }
        func number(_ key: String) -> UInt32 { value(of: key).flatMap(UInt32.init) ?? 0 }
        return words[0].contains(":")
            && ConnectedSocket(to: words[0], from: value(of: "from"), mark: number("mark"), user: number("uid"))
                .refusal() == nil
    }

    private static let broadcast = "255.255.255.255"

    /// Asks with one process.
    private static func ask(
        _ questions: [Question]
    ) throws -> (answers: [Question: Route], links: [String: Link]) {
        let lines = questions.map { "route get \($0)" } + ["link show"]
        let (output, complaints) = try Self.run(lines)
        // "Command failed -:3" names the line.
        let failed = Set(
            complaints.split(separator: "\n").filter { $0.hasPrefix("Command failed -:") }
                .compactMap { Int($0.drop { $0 != ":" }.dropFirst()) })
        var rest = output.split(separator: "\n")[...]
        var answers: [Question: Route] = [:]
        for (number, question) in questions.enumerated() where !failed.contains(number + 1) {
            guard let line = rest.popFirst() else { throw Unreadable(text: output + complaints) }
            answers[question] = Self.route(line)
        }
        return (answers, Dictionary(rest.compactMap(Self.link)) { first, _ in first })
    }

    struct Unreadable: Error, CustomStringConvertible {
        let text: String
        var description: String { "ip said: \(text)" }
    }

    private static func run(_ lines: [String]) throws -> (output: String, complaints: String) {
        let input = lines.joined(separator: "\n") + "\n"
        let words = ["ip", "-o", "-force", "-batch", "-"]
        var (output, complaints): (Int32, Int32) = (-1, -1)
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        let status = unsafe reachability_testing_run(arguments, input, input.utf8.count, &output, &complaints)
        guard status >= 0 else { throw Errno(rawValue: errno) }
        func text(_ descriptor: Int32) throws -> String {
            defer { close(descriptor) }
            return String(decoding: try Files.contents(of: "/proc/self/fd/\(descriptor)"), as: UTF8.self)
        }
        return (try text(output), try text(complaints))
    }

    /// Reads "192.0.2.1 via 10.0.0.2 dev eth0 src 10.0.0.1"; nil for what older kernels print for routes that lead
    /// nowhere.
    private static func route(_ line: Substring) -> Route? {
        let words = line.split(separator: " ")
        guard let device = words.firstIndex(of: "dev"), device + 1 < words.count,
            !["unreachable", "prohibit", "blackhole", "throw"].contains(words[0])
        else { return nil }
        // "from" is printed if the question had a source. IPv6 prints "from ::" if it had none.
        let sources = zip(words, words.dropFirst()).filter { $0.0 == "src" || $0.0 == "from" }.map(\.1)
        return Route(
            isLocal: words[0] == "local" || words[0] == "anycast", hasGateway: words.contains("via"),
            hasSource: sources.contains { !["::", "::1", "0.0.0.0"].contains($0) && !$0.hasPrefix("127.") },
            link: String(words[device + 1]),
            source: words.firstIndex(of: "src").flatMap { $0 + 1 < words.count ? String(words[$0 + 1]) : nil })
    }

    /// Reads "2: eth0@eth0-peer: <BROADCAST,UP> mtu 1500 … state UP …".
    private static func link(_ line: Substring) -> (String, Link)? {
        let words = line.split(separator: " ")
        guard words.count > 2, let at = words.firstIndex(of: "state"), at + 1 < words.count else { return nil }
        let name = words[1].dropLast().split(separator: "@")[0]
        let marks = words[2].dropFirst().dropLast().split(separator: ",")
        return (String(name), Link(state: String(words[at + 1]), marks: Set(marks)))
    }

    // MARK: Judging

    /// The flags of an address, by the rules in Docs/Behaviour.md.
    func flags(_ question: Question) -> ReachabilityFlags {
        guard let route = answers[question] else { return untold.contains(question) ? .reachable : [] }
        if route.isLocal { return [.reachable, .isLocalAddress, .isDirect] }
        guard let link = links[route.link], !link.isBroken else { return [] }
        // The connection that a dormant link waits for may bring an address.
        guard route.hasSource || link.state == "DORMANT" else { return [] }
        let isPointToPoint = link.marks.contains("POINTOPOINT")
        var flags: ReachabilityFlags = .reachable
        if isPointToPoint { flags.insert(.transientConnection) }
        if !route.hasGateway && !isPointToPoint { flags.insert(.isDirect) }
        if link.state == "DORMANT" {
            flags.insert(.connectionRequired)
            if isPointToPoint { flags.insert(.connectionOnTraffic) }
        }
        return flags
    }

    /// Whether the route leads over a link that is down or has no carrier.
    func hasBrokenLink(_ question: Question) -> Bool {
        guard let route = answers[question], !route.isLocal else { return false }
        return links[route.link]?.isBroken ?? true
    }

    /// The flags of the default path: those of IPv4 if it is reachable, else those of the better family. Never local or
    /// direct.
    func defaultPath() -> ReachabilityFlags {
        Subject.behindDefault.map { addresses in
            let asked = addresses.first { answers[$0] != nil || untold.contains($0) } ?? addresses[0]
            return flags(asked).subtracting([.isLocalAddress, .isDirect])
        }
        .reduce([]) { Self.rank($1) > Self.rank($0) ? $1 : $0 }
    }

    /// The flags of a name: those of its best addresses, any of which may have been chosen.
    func best(of questions: [Question]) -> Set<ReachabilityFlags> {
        let all = questions.map(flags)
        let best = all.map(Self.rank).max() ?? 0
        let found = Set(all.filter { Self.rank($0) == best })
        return found.isEmpty ? [[]] : found
    }

    static func rank(_ flags: ReachabilityFlags) -> Int {
        flags.contains(.reachable) ? flags.contains(.connectionRequired) ? 1 : 2 : 0
    }
}
