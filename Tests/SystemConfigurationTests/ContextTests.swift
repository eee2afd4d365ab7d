// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import SystemConfiguration
import SystemConfigurationCore
import TestTopology
import Testing

/// A9 to A12: how often a context's functions are called, and when.
@Suite("A context", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct ContextTests {
    /// The object behind a context's `info`: counts retains and releases, and records callbacks.
    final class Info: Sendable {
        let retains = Counter()
        let releases = Counter()
        let calls = Calls()

        static func of(_ pointer: UnsafeRawPointer) -> Info {
            Unmanaged<Info>.fromOpaque(pointer).takeUnretainedValue()
        }
    }

    enum Kind: CaseIterable, Sendable {
        case retainAndRelease, releaseOnly, retainOnly, none

        func context(_ info: Info) -> SCNetworkReachabilityContext {
            var context = SCNetworkReachabilityContext()
            // Never released, so that a late release is counted instead of crashing.
            context.info = Unmanaged.passRetained(info).toOpaque()
            if self == .retainAndRelease || self == .retainOnly {
                context.retain = {
                    Info.of($0).retains.increment()
                    return $0
                }
            }
            if self == .retainAndRelease || self == .releaseOnly {
                context.release = { Info.of($0).releases.increment() }
            }
            return context
        }

        /// The expected numbers for a context that was set once and released.
        var retains: Int { self == .retainAndRelease || self == .retainOnly ? 1 : 0 }
        var releases: Int { self == .retainAndRelease || self == .releaseOnly ? 1 : 0 }
    }

    private let network: Machine
    private let queue = DispatchQueue(label: "contexts")

    init() throws {
        network = try LegacyNetwork.make()
    }

    private func set(_ kind: Kind, _ info: Info, on target: SCNetworkReachability) {
        var context = kind.context(info)
        SCNetworkReachabilitySetCallback(target, { _, flags, info in Info.of(info!).calls.record(flags) }, &context)
    }

    @Test("is released once, on nil, also without a callback", arguments: Kind.allCases, [true, false])
    func unset(_ kind: Kind, hasCallback: Bool) throws {
        let info = Info()
        let target = try network.reference()
        if hasCallback {
            set(kind, info, on: target)
        } else {
            var context = kind.context(info)
            SCNetworkReachabilitySetCallback(target, nil, &context)
        }
        #expect(info.retains.value == kind.retains)
        #expect(info.releases.value == 0)
        SCNetworkReachabilitySetCallback(target, nil, nil)
        #expect(info.releases.value == kind.releases)
        SCNetworkReachabilitySetCallback(target, nil, nil)
        #expect(info.releases.value == kind.releases)
        #expect(info.retains.value == kind.retains)
    }

    @Test("is released once, on replacement, also by itself", arguments: Kind.allCases)
    func replaced(_ kind: Kind) throws {
        let (first, second) = (Info(), Info())
        let target = try network.reference()
        set(kind, first, on: target)
        set(kind, second, on: target)
        #expect(first.releases.value == kind.releases)
        #expect(second.releases.value == 0)
        set(kind, second, on: target)
        #expect(second.retains.value == 2 * kind.retains)
        #expect(second.releases.value == kind.releases)
        SCNetworkReachabilitySetCallback(target, nil, nil)
        #expect(second.releases.value == 2 * kind.releases)
    }

    @Test("is released once, on finalization", arguments: Kind.allCases)
    func finalized(_ kind: Kind) throws {
        let info = Info()
        var target: SCNetworkReachability? = try network.reference()
        set(kind, info, on: target!)
        #expect(info.releases.value == 0)
        target = nil
        #expect(info.releases.value == kind.releases)
    }

    @Test("is valid in every callback, and balanced at the end", arguments: Kind.allCases)
    func fired(_ kind: Kind) throws {
        let info = Info()
        var target: SCNetworkReachability? = try network.reference()
        set(kind, info, on: target!)
        SCNetworkReachabilitySetDispatchQueue(target!, queue)
        try network.set(local: true)
        #expect(try info.calls.next() == LegacyNetwork.local)
        try network.set(local: false)
        #expect(try info.calls.next() == [])
        #expect(info.releases.value == 0)
        SCNetworkReachabilitySetDispatchQueue(target!, nil)
        #expect(info.releases.value == 0)
        try queue.finish()
        target = nil
        try network.settle()
        #expect(info.retains.value == kind.retains)
        #expect(info.releases.value == kind.releases)
    }

    @Test("A10: replaced inside the callback lives until the callback ends")
    func replacedInside() throws {
        let (first, second) = (Info(), Info())
        let target = try network.reference()
        let duringCall = Counter()
        var context = Kind.retainAndRelease.context(first)
        nonisolated(unsafe) let next = Kind.retainAndRelease.context(second)
        SCNetworkReachabilitySetCallback(
            target,
            { target, flags, info in
                var next = next
                SCNetworkReachabilitySetCallback(
                    target, { _, flags, info in Info.of(info!).calls.record(flags) }, &next)
                if Info.of(info!).releases.value == 0 { duringCall.increment() }
                Info.of(info!).calls.record(flags)
            }, &context)
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        try network.set(local: true)
        #expect(try first.calls.next() == LegacyNetwork.local)
        try queue.finish()
        #expect(duringCall.value == 1)
        #expect(first.releases.value == 1)
        try network.set(local: false)
        #expect(try second.calls.next() == [])
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        #expect(first.calls.untaken == 0)
    }

    @Test("A11: nothing is called after unscheduling inside the callback")
    func unscheduledInside() throws {
        let calls = Calls()
        let target = try network.reference()
        SCNetworkReachabilitySetCallback(
            target,
            { target, flags, _ in
                SCNetworkReachabilitySetDispatchQueue(target, nil)
                calls.record(flags)
            }, nil)
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        try network.set(local: true)
        #expect(try calls.next() == LegacyNetwork.local)
        try network.set(local: false)
        try network.set(local: true)
        try network.settle()
        try queue.finish()
        #expect(calls.untaken == 0)
        #expect(!SCNetworkReachabilitySetDispatchQueue(target, nil))
    }

    @Test("A12: a scheduled target lives without its client until it is unscheduled")
    func abandoned() throws {
        let info = Info()
        let reached = Counter()
        weak var abandoned: SCNetworkReachability?
        do {
            let target = try network.reference()
            abandoned = target
            set(.releaseOnly, info, on: target)
            SCNetworkReachabilitySetDispatchQueue(target, queue)
        }
        try network.set(local: true)
        #expect(try info.calls.next() == LegacyNetwork.local)
        #expect(info.releases.value == 0)
        do {
            let target = try #require(abandoned)
            SCNetworkReachabilitySetDispatchQueue(target, nil)
            reached.increment()
        }
        try network.settle()
        try queue.finish()
        #expect(abandoned == nil)
        #expect(info.releases.value == 1)
    }

    @Test("is released with its target, even if the core's reference lives on")
    func releasedWithTheTarget() throws {
        let releases = Counter()
        let reference = try network.run { try ReachabilityRef(address: LegacyNetwork.target) }
        var target: LegacyTarget? = LegacyTarget(reference)
        do {
            let context = ContextBox(info: nil) { _ in releases.increment() }
            target?.setCallback { _, _ in withExtendedLifetime(context) {} }
        }
        #expect(releases.value == 0)
        target = nil
        #expect(releases.value == 1)
        withExtendedLifetime(reference) {}
    }

    private static let retainsOfNull = Counter()
    private static let releasesOfNull = Counter()

    @Test("is retained and released if its pointer is null too, of a target and of a session")
    func nullPointer() throws {
        var context = SCNetworkReachabilityContext()
        context.retain = {
            ContextTests.retainsOfNull.increment()
            return $0
        }
        context.release = { _ in ContextTests.releasesOfNull.increment() }
        let target = try network.reference()
        SCNetworkReachabilitySetCallback(target, { _, _, _ in }, &context)
        #expect(Self.retainsOfNull.value == 1)
        SCNetworkReachabilitySetCallback(target, nil, nil)
        #expect(Self.releasesOfNull.value == 1)
        var session = SCDynamicStoreCreate(nil, "test" as NSString, { _, _, _ in }, &context)
        #expect(session != nil && Self.retainsOfNull.value == 2)
        session = nil
        #expect(Self.releasesOfNull.value == 2)
    }

    @Test("may call any function from its own functions")
    func reentrant() throws {
        final class Holder {
            let target: SCNetworkReachability
            init(_ target: SCNetworkReachability) { self.target = target }
        }
        let target = try network.reference()
        let holder = Holder(target)
        var context = SCNetworkReachabilityContext()
        context.info = Unmanaged.passUnretained(holder).toOpaque()
        context.release = { info in
            let target = Unmanaged<Holder>.fromOpaque(info).takeUnretainedValue().target
            SCNetworkReachabilitySetCallback(target, nil, nil)
            SCNetworkReachabilitySetDispatchQueue(target, nil)
            var flags = SCNetworkReachabilityFlags()
            SCNetworkReachabilityGetFlags(target, &flags)
        }
        SCNetworkReachabilitySetCallback(target, { _, _, _ in }, &context)
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        SCNetworkReachabilitySetCallback(target, nil, nil)
        #expect(!SCNetworkReachabilitySetDispatchQueue(target, nil))
        withExtendedLifetime(holder) {}
    }
}
