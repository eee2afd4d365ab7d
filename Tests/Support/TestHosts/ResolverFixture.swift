// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityHostResolution
package import ReachabilityLinuxSystem
package import ReachabilityResolverFiles
import Synchronization

/// A directory with configuration files, removed with the object and all that is in it.
package final class ResolverFixture: Sendable {
    private let folder = TemporaryFolder()
    package let time = ManualTime()

    package init() {}

    package var directory: String { folder.path }

    package func path(_ name: String) -> String { "\(directory)/\(name)" }

    package func write(_ name: String, _ text: String) {
        let file = unsafe fopen(path(name), "we")!
        unsafe fputs(text, file)
        unsafe fclose(file)
    }

    /// Writes a new file and moves it over the old one.
    package func replace(_ name: String, _ text: String) {
        write("new", text)
        unsafe rename(path("new"), path(name))
    }

    /// An environment with these files. Its clock is the real one unless `manualTime` is set.
    package func environment(_ servers: [NameServer], manualTime: Bool = false) -> ResolverEnvironment {
        var environment = ResolverEnvironment()
        environment.hostsPath = path("hosts")
        environment.resolvConfPath = path("resolv.conf")
        environment.nsswitchPath = path("nsswitch.conf")
        environment.localDomain = nil
        environment.resolverOptions = nil
        environment.hostName = { "" }
        if !servers.isEmpty {
            environment.servers = servers.map { ServerAddress(localhost4, port: $0.port) }
        }
        if manualTime { environment.time = time }
        return environment
    }
}

/// A clock that a test advances.
package final class ManualTime: TimeSource {
    private let moment = Atomic<UInt64>(1_000_000_000_000)
    private let asleep = Atomic<UInt64>(0)

    package init() {}

    package func now() -> BootTime { BootTime(nanoseconds: moment.load(ordering: .acquiring)) }

    /// How long the thread takes, in nanoseconds, until it asks for its processor's time again.
    package func setCost(_ nanoseconds: UInt64) { cost.store(nanoseconds, ordering: .releasing) }
    private let cost = Atomic<UInt64>(0)

    /// All time is that of the thread that asks.
    package func processorTime() -> Duration {
        advance(.nanoseconds(Int64(cost.load(ordering: .acquiring))))
        return now().duration(since: BootTime(nanoseconds: 0))
    }

    package func timeAsleep() -> Duration { .nanoseconds(Int64(asleep.load(ordering: .acquiring))) }

    /// The machine sleeps.
    package func sleep(_ duration: Duration) {
        asleep.wrappingAdd(duration.wholeNanoseconds, ordering: .acquiringAndReleasing)
        advance(duration)
    }

    package func advance(_ duration: Duration) {
        let end = now().advanced(by: duration)
        moment.store(end.nanoseconds, ordering: .releasing)
    }
}

/// A flag for closures.
package final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    package init() {}

    package var isSet: Bool { value.load(ordering: .acquiring) }
    package func set() { value.store(true, ordering: .releasing) }
}

/// A counter for closures.
package final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    package init() {}

    package var value: Int { number.load(ordering: .acquiring) }
    package func increment() { number.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}

package let localhost4 = IPAddress.v4(IPv4Address(127, 0, 0, 1))

/// The number of open descriptors, without timers: Dispatch opens one for the time limit of a test.
package func openDescriptorCount() -> Int {
    (0..<Int32(1024)).count { descriptor in
        Files.linkTarget(of: "/proc/self/fd/\(descriptor)").map { !$0.contains("timerfd") } ?? false
    }
}
