// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestHosts
import TestTopology
import Testing

@testable import HostResolution
@testable import ReachabilityKit

@Suite("A watched name is resolved again")
struct ResolutionScheduleTests {
    private let now = BootTime(nanoseconds: 1_000_000_000_000)
    private let longAgo = BootTime(nanoseconds: 0)
    private let configuration = Resolver(ResolverFixture().environment([])).configuration

    private func resolution(_ family: FamilyOutcome, _ outcome: ResolutionOutcome? = nil) -> Resolution {
        Resolution(
            NameQuery(HostName(lenient: "a.test")),
            Finding(v4: family, v6: .noData, origin: .dns, outcome: outcome), made: now, configuration: configuration)
    }

    private func found(ttl: UInt32) -> Resolution {
        resolution(.addresses([TimedAddress(IPAddress(text: "192.0.2.1"), timeToLive: ttl)]))
    }

    private func wait(_ resolution: Resolution, failures: Int = 0, configured: BootTime? = nil) -> Duration? {
        ResolutionSchedule.next(
            after: resolution, failures: failures, now: now, configured: configured ?? longAgo
        ).map { $0.duration(since: now) }
    }

    @Test(arguments: [(0 as UInt32, 1 as Int64), (1, 1), (60, 60), (3600, 3600), (90_000, 3600)])
    func `when its addresses have grown old, and never more than once a second`(ttl: UInt32, seconds: Int64) {
        #expect(wait(found(ttl: ttl)) == .seconds(seconds))
    }

    @Test func `not before a second has passed where the answer came from the cache at its very end`() {
        let old = found(ttl: 5)
        let late = now.advanced(by: .milliseconds(4_999))
        let next = ResolutionSchedule.next(after: old, failures: 0, now: late, configured: longAgo)
        #expect(next == late.advanced(by: .seconds(1)))
    }

    @Test func `ever more rarely while it fails`() {
        let silent = resolution(.deadlinePassed)
        let waits = (1...9).map { wait(silent, failures: $0) }
        #expect(waits == [5, 10, 20, 40, 80, 160, 300, 300, 300].map { Duration.seconds($0) })
    }

    @Test func `in short steps where it is not found just after the configuration changed`() {
        let missing = resolution(.noSuchName)
        #expect(wait(missing, failures: 4, configured: now) == .milliseconds(250))
        #expect(wait(missing, failures: 1, configured: BootTime(nanoseconds: 997_600_000_000)) == .milliseconds(250))
        #expect(wait(missing, failures: 1, configured: BootTime(nanoseconds: 997_500_000_000)) == .seconds(5))
    }

    @Test(arguments: [ResolutionOutcome.noServerReachable, .noServerConfigured, .impossibleName])
    func `not by the clock where only another network or configuration can help`(outcome: ResolutionOutcome) {
        #expect(wait(resolution(.notAsked, outcome)) == nil)
    }

    @Test func `never where the hosts file says it`() {
        let listed = Resolution(
            NameQuery(HostName(lenient: "a.test")),
            Finding(
                v4: .addresses([TimedAddress(IPAddress(text: "192.0.2.1"), timeToLive: nil)]), v6: .noData,
                origin: .hostsFile), made: now, configuration: configuration)
        #expect(wait(listed) == nil)
    }
}
