// SPDX-License-Identifier: Apache-2.0

import Foundation
import LegacyIdioms5
import LegacyIdioms6
import LinuxSystem
import SystemConfiguration
import TestHosts
import TestTopology
import TestWaiting
import Testing

@Suite("Preferences", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct PreferencesTests {
    private let topology: Topology
    private let folder: TemporaryFolder
    private var directory: String { folder.path }

    init() throws {
        topology = try Topology()
        folder = try TemporaryFolder()
        try topology.wire("eth0", address: "10.0.0.1/24")
    }

    @Test("are those of the machine as it is")
    func machine() throws {
        try topology.wire("eth1", address: "10.1.0.1/24")
        try topology.ip("address flush dev eth1")
        try topology.ip("address add 10.1.0.2/24 dev eth1 valid_lft 3600 preferred_lft 3600")
        try topology.ip("route add default via 10.1.0.254")
        // The other ends of the wires have no addresses.
        let others = ["eth0-peer Ethernet - - -", "eth1-peer Ethernet - - -"]
        let before = topology.run { LegacyIdioms5.NetworkPreferences.services() }
        #expect(
            before.filter { !others.contains($0) } == ["eth1 Ethernet DHCP - -", "eth0 Ethernet Manual 10.0.0.1 -"])
        #expect(before.first == "eth1 Ethernet DHCP - -" && before.count == 4)
        try topology.ip("route replace default via 10.0.0.254")
        let after = topology.run { LegacyIdioms6.NetworkPreferences.services() }
        #expect(after.first == "eth0 Ethernet Manual 10.0.0.1 10.0.0.254")
        let name = SCDynamicStoreCopyComputerName(nil, nil) as String?
        #expect(name != nil && LegacyIdioms5.NetworkPreferences.computerName() == name)
        let monitor = topology.run { LegacyIdioms6.NetworkPreferencesMonitor {} }
        #expect(monitor.keys == ["CurrentSet", "NetworkServices", "Sets", "System"])
        #expect(monitor.isReadOnly())
    }

    @Test("stay as they were read until they are synchronized")
    func synchronize() throws {
        let monitor = topology.run { LegacyIdioms5.NetworkPreferencesMonitor {} }
        let first = try #require(monitor.signature)
        try topology.ip("address add 10.0.0.9/24 dev eth0")
        #expect(monitor.signature == first)
        monitor.synchronize()
        #expect(monitor.signature != first)
    }

    @Test("of the machine are told when they change, on a queue")
    func queue() throws {
        let told = ReceivedValues<Int>()
        let monitor = topology.run { LegacyIdioms5.NetworkPreferencesMonitor { told.record(1) } }
        #expect(monitor.start(queue: told.queue))
        #expect(!monitor.start(queue: told.queue))
        #expect(SCError() == Int32(kSCStatusNotifierActive))
        // The state of a link is not among the preferences, and a new address is.
        try topology.ip("link set eth0 mtu 1400")
        try topology.ip("address add 10.0.0.9/24 dev eth0")
        #expect(try told.next() == 1)
        #expect(monitor.notifications == [[.commit, .apply]])
        #expect(monitor.stop(queue: true))
        #expect(!monitor.stop(queue: true))
        #expect(SCError() == Int32(kSCStatusInvalidArgument))
    }

    @Test("of a file are told when it changes, on a run loop")
    func file() throws {
        let path = "\(directory)/org.example.plist"
        let done = Counter()
        let keys = try topology.run {
            let monitor = LegacyIdioms6.NetworkPreferencesMonitor(path) {
                done.increment()
                CFRunLoopStop(CFRunLoopGetCurrent())
            }
            #expect(monitor.keys == [])
            #expect(monitor.start(queue: nil))
            let list: [String: Any] = ["Server": "db", "Weight": 1.5, "Since": Date(timeIntervalSince1970: 0)]
            let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
            _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, Double(WaitLimit.seconds), false)
            #expect(monitor.keys == [])
            monitor.synchronize()
            #expect(monitor.stop(queue: false))
            #expect(!monitor.stop(queue: false))
            return monitor.keys
        }
        #expect(keys == ["Server", "Since", "Weight"])
        #expect(done.count == 1)
    }

    @Test("are in the folder that the environment names")
    func folder() async throws {
        try #"{ Server = db; Deep = { Link = { "__LINK__" = "/Deep/End"; }; End = { Name = here; }; }; }"#.write(
            toFile: "\(directory)/some.plist", atomically: true, encoding: .utf8)
        await #expect(processExitsWith: .success) { [directory = directory as String] in
            let name = "some.plist"
            setenv("SCPREFERENCES_DIRECTORY", directory, 1)
            let prefs = try #require(SCPreferencesCreate(nil, "test" as CFString, name as CFString))
            #expect(SCPreferencesGetValue(prefs, "Server" as CFString) as? String == "db")
            #expect(SCPreferencesPathGetValue(prefs, "/Deep/Link" as CFString) as? [String: String] == ["Name": "here"])
            #expect(CFGetTypeID(prefs) == SCPreferencesGetTypeID())
            setenv("SCPREFERENCES_DIRECTORY", "/nonexistent", 1)
            let none = try #require(SCPreferencesCreate(nil, "test" as CFString, name as CFString))
            #expect(SCPreferencesGetValue(none, "Server" as CFString) == nil && SCError() == kSCStatusNoKey)
        }
    }

    @Test("are refused where they make no sense")
    func refusals() throws {
        for identifier in ["../passwd", "/etc/../etc/x", ""] {
            #expect(isRefused(SCPreferencesCreate(nil, "test" as CFString, identifier as CFString) != nil))
        }
        try Data("no property list".utf8).write(to: URL(fileURLWithPath: "\(directory)/a"))
        let prefs = try #require(SCPreferencesCreate(nil, "test" as CFString, "\(directory)/a" as CFString))
        #expect(SCPreferencesCopyKeyList(prefs) == [] as NSArray)
        let machine = try #require(topology.run { SCPreferencesCreate(nil, "test" as CFString, nil) })
        for path in ["", "/", "System", "/System/System/ComputerName", "/System/none/none", "/CurrentSet/x"] {
            SCPreferencesUnlock(machine)
            #expect(SCPreferencesPathGetValue(machine, path as CFString) == nil)
            #expect(SCError() == kSCStatusNoKey)
        }
        let system = SCPreferencesPathGetValue(machine, "//System//System/" as CFString)
        #expect(system?[kSCPropSystemComputerName] != nil)
        let round = #"{ A = { "__LINK__" = "/A"; }; }"#
        try Data(round.utf8).write(to: URL(fileURLWithPath: "\(directory)/b"))
        let endless = try #require(SCPreferencesCreate(nil, "test" as CFString, "\(directory)/b" as CFString))
        #expect(SCPreferencesPathGetValue(endless, "/A" as CFString) == nil)
        #expect(SCError() == kSCStatusMaxLink)
    }
}
