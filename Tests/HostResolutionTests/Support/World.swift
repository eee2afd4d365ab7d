// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostResolution
import LinuxSystem
import NetworkFacts
import ScriptedNameServer
import Synchronization

/// A directory with configuration files of its own, removed with the value.
final class World: Sendable {
    let directory: String
    let time = ManualTime()

    init() {
        var template = Array("/tmp/host-resolution-XXXXXX".utf8CString)
        directory = unsafe String(cString: mkdtemp(&template))
    }

    deinit {
        for name in ["hosts", "resolv.conf", "nsswitch.conf", "new", "real.conf"] {
            unsafe unlink("\(directory)/\(name)")
        }
        unsafe rmdir(directory)
    }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func write(_ name: String, _ text: String) {
        let file = unsafe fopen(path(name), "w")!
        unsafe fputs(text, file)
        unsafe fclose(file)
    }

    /// Writes a new file and moves it over the old one.
    func replace(_ name: String, _ text: String) {
        write("new", text)
        unsafe rename(path("new"), path(name))
    }

    /// The real clock, unless a test wants to hold it.
    func environment(_ servers: [ScriptedDNSServer], manualTime: Bool = false) -> ResolverEnvironment {
        var environment = ResolverEnvironment()
        environment.hostsPath = path("hosts")
        environment.resolvConfPath = path("resolv.conf")
        environment.nsswitchPath = path("nsswitch.conf")
        if !servers.isEmpty {
            environment.servers = servers.map { ServerAddress(localhost4, port: $0.port) }
        }
        if manualTime { environment.time = time }
        return environment
    }
}

/// A clock that stands still unless it is told, or goes on a step with every look at it.
final class ManualTime: TimeSource {
    private let moment = Atomic<UInt64>(1_000_000_000_000)
    private let step = Atomic<UInt64>(0)

    func now() -> BootTime {
        BootTime(
            nanoseconds: moment.wrappingAdd(step.load(ordering: .relaxed), ordering: .acquiringAndReleasing).newValue)
    }

    func advanceWithEveryLook(milliseconds: UInt64) {
        step.store(milliseconds * 1_000_000, ordering: .relaxed)
    }

    func advance(_ duration: Duration) {
        let end = now().advanced(by: duration)
        moment.store(end.nanoseconds, ordering: .releasing)
    }
}

/// Something that a closure sees changing.
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

/// Counts what closures do.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)
    var value: Int { number.load(ordering: .acquiring) }
    func increment() { number.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}

let localhost4 = IPAddress.v4(IPv4Address(127, 0, 0, 1))

func v4(_ text: String) -> IPAddress { .v4(IPv4Address(strict: text)!) }
func v6(_ text: String) -> IPAddress { .v6(IPv6Address(text)!) }
func host(_ text: String) -> HostName { HostName(lenient: text) }

extension Resolver {
    /// With a deadline far enough away not to matter, and nothing ever enough.
    func all(_ name: String) -> Resolution {
        resolve(host(name), deadline: SystemTime().now().advanced(by: .seconds(30))) { _ in false }
    }
}

/// How many descriptors this process has open, timers left out: Dispatch opens one when a test's time limit is armed.
func openDescriptorCount() -> Int {
    (0..<Int32(1024)).count { descriptor in
        Files.linkTarget(of: "/proc/self/fd/\(descriptor)").map { !$0.contains("timerfd") } ?? false
    }
}
