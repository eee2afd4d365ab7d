// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

/// A topology as references see it. Each target is asked for by a reference that stays, whose cached answer must follow every
/// change, and by a new one without a cached answer. Both must agree.
final class View {
    private struct Question: Hashable {
        var target: String
        var options: ReachabilityOptions
    }

    let topology: Machine
    private var held: [Question: ReachabilityRef] = [:]
    /// The other end of the wire ends with its namespace.
    var neighbour: Machine?

    init(_ topology: Machine = try! Machine()) {
        self.topology = topology
    }

    func reference(
        _ target: String, _ configure: (inout ReachabilityOptions) -> Void = { _ in }
    ) throws -> ReachabilityRef {
        var options = ReachabilityOptions()
        configure(&options)
        return try topology.run { try ReachabilityRef(text: TargetText(target), options: options) }
    }

    func verdict(
        _ target: String, _ configure: (inout ReachabilityOptions) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Verdict {
        var options = ReachabilityOptions()
        configure(&options)
        let question = Question(target: target, options: options)
        let reference = try held[question] ?? reference(target, configure)
        held[question] = reference
        let old = try reference.getFlags()
        let cached = try reference.getFlags()
        let explained = try reference.explain()
        let verdict = try self.reference(target, configure).currentVerdict()
        #expect(old == verdict.flags, "a held reference to \(target) is stale", sourceLocation: sourceLocation)
        #expect(cached == verdict.flags, "the cache of \(target) is stale", sourceLocation: sourceLocation)
        #expect(explained.flags == verdict.flags, "\(explained)", sourceLocation: sourceLocation)
        #expect(explained.reason == verdict.reason.description, "\(explained)", sourceLocation: sourceLocation)
        return verdict
    }

    /// Expects flags of several targets, and the reason if one is given.
    func expect(
        _ targets: String..., are flags: ReachabilityFlags, _ reason: Reason? = nil,
        options configure: (inout ReachabilityOptions) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for target in targets {
            let verdict = try verdict(target, configure, sourceLocation: sourceLocation)
            #expect(verdict.flags == flags, "\(target): \(verdict.reason)", sourceLocation: sourceLocation)
            if let reason { #expect(verdict.reason == reason, "\(target)", sourceLocation: sourceLocation) }
        }
    }
}

/// The numbers of the documentation's table.
extension ReachabilityFlags {
    static let nothing: ReachabilityFlags = []
    static let own = ReachabilityFlags(rawValue: 0x30002)
    static let direct = ReachabilityFlags(rawValue: 0x20002)
    static let routed = ReachabilityFlags(rawValue: 0x2)
    static let tunnelled = ReachabilityFlags(rawValue: 0x3)
    static let dormantDirect = ReachabilityFlags(rawValue: 0x20006)
    static let dormantDialUp = ReachabilityFlags(rawValue: 0xF)
}

/// A host with one wire to another.
struct Wired {
    let view: View
    let far: Machine
    var topology: Machine { view.topology }

    /// - Parameter commands: for `ip`, one a line, once eth0 is up with 10.0.0.1/24 and, unless told otherwise,
    ///   fd00::1/64.
    init(ipv4: Bool = true, ipv6: Bool = true, _ commands: String = "") throws {
        view = View(try Machine())
        far = try Machine()
        view.neighbour = far
        try view.topology.wire("eth0", peer: "eth0", in: far)
        // Devices lose their IPv6 addresses when they go down; a host without any speaks no IPv6 at all.
        if ipv4 { try view.topology.ip("address add 10.0.0.1/24 dev eth0") }
        if ipv6 {
            try view.topology.ip("address add fd00::1/64 dev eth0 nodad")
            try view.topology.waitForOwn(["fd00::1/64"])
        }
        try topology.ip(commands)
    }

    /// Takes the other end of the wire down, and waits until this end has noticed.
    func cut() throws {
        try far.ip("link set eth0 down")
        try topology.waitForLink("eth0") { if case .broken = $0.readiness { true } else { false } }
    }

    /// The state of a cut wire: "down" or "lower layer down", which depends on the indices of the two ends (default_operstate
    /// in net/core/link_watch.c).
    var broken: Reason {
        get throws { .linkBroken(try topology.linkFacts("eth0")?.operationalState ?? .unknown) }
    }
}
