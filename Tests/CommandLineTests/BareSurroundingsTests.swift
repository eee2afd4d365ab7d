// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import ReachabilityNetlink
import TestTopology
import Testing

/// The program on a system where something is missing, or after it was stopped.
@Suite("reachability on a bare system", .timeLimit(.minutes(10)), .needs(.namespaces))
struct BareSurroundingsTests {
    @Test(
        "answers and watches without /sys, with read-only mounts, and without privilege",
        arguments: [
            "mount -t tmpfs none /sys && exec \"$@\"",
            "mount -o remount,bind,ro /sys && mount -o remount,bind,ro /proc && exec \"$@\"",
            // No privilege and no way to get any, as in a container.
            "exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs \"$@\"",
        ])
    func bare(_ script: String) throws {
        let topology = try Machine.routed()
        let wrapper = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"]
        let once = try RunningProgram(["check", "192.0.2.1", "localhost"], in: topology, wrapper: wrapper).outcome()
        let expected = "192.0.2.1: Reachable\nlocalhost: Reachable,Local Address,Directly Reachable Address\n"
        #expect(once == .init(status: 0, output: expected, complaints: ""))

        let program = try RunningProgram(["watch", "192.0.2.1"], in: topology, wrapper: wrapper)
        #expect(try program.nextLine().hasSuffix(" 192.0.2.1: Reachable"))
        try topology.ip("route del default")
        #expect(try program.nextLine().contains(" 192.0.2.1: Not Reachable ("))
    }

    @Test(
        "answers, waits and watches if /proc and /sys are empty",
        .disabled(if: Sanitizer.isOn, "a sanitizer cannot do without /proc"))
    func withoutProc() throws {
        let topology = try Machine.routed()
        let script = "mount -t tmpfs none /sys && mount -t tmpfs none /proc && exec \"$@\""
        let wrapper = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"]
        func start(_ words: [String], _ program: String = "reachability") throws -> RunningProgram {
            try RunningProgram(words, in: topology, wrapper: wrapper, program: program)
        }
        let once = try start(["check", "192.0.2.1", "default", "localhost"]).outcome()
        let local = "localhost: Reachable,Local Address,Directly Reachable Address\n"
        let expected = "192.0.2.1: Reachable\ndefault: Reachable\n" + local
        #expect(once == .init(status: 0, output: expected, complaints: ""))
        #expect(try start(["wait", "192.0.2.1", "localhost"]).outcome().status == 0)
        #expect(try start(["path"]).outcome().status == 0)
        #expect(try start(["--nwi"], "scutil").outcome().status == 0)

        let (program, tool) = (try start(["watch", "192.0.2.1"]), try start(["-W", "-r", "192.0.2.1"], "scutil"))
        #expect(try program.nextLine().hasSuffix(" 192.0.2.1: Reachable"))
        try tool.read { $0.contains("2: on runloop") && $0.hasSuffix("Reachable\n\n") }
        try topology.ip("route del default")
        #expect(try program.nextLine().contains(" 192.0.2.1: Not Reachable ("))
        try tool.read { $0.contains("3: callback w/flags=0x00000000") }
    }

    /// The limits are those of a new user namespace, so no others change (user_namespaces(7)). A new mount namespace
    /// gives the program another /etc.
    @Test(
        "notices changed files without inotify, at the latest when the network changes",
        arguments: ["max_inotify_instances", "max_inotify_watches"])
    func withoutInotify(_ limit: String) throws {
        let topology = try Machine.routed()
        let fixture = ResolverFixture()
        fixture.write("hosts", "192.0.2.1 a.example\n")
        let script = """
            mount --bind \(fixture.directory) /etc && echo 0 > /proc/sys/user/\(limit) && exec "$@"
            """
        let wrapper = ["/usr/bin/unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", script, "sh"]
        let program = try RunningProgram(["watch", "a.example"], in: topology, wrapper: wrapper)
        #expect(try program.nextLine().hasSuffix(" a.example: Reachable"))
        fixture.replace("hosts", "10.0.0.7 a.example\n")
        try topology.ip("address add 10.9.0.1/24 dev eth0")
        #expect(try program.nextLine().hasSuffix(" a.example: Reachable,Directly Reachable Address"))
        // Checks that inotify was not available.
        let descriptors = try CallingThread.execute(["ls", "-l", "/proc/\(program.identifier)/fd"])
        #expect(descriptors.contains("eventpoll") && !descriptors.contains("inotify"), "\(descriptors)")
    }

    @Test(
        "prints no path without the name servers if it cannot read them",
        .disabled(if: Sanitizer.isOn, "a sanitizer needs descriptors itself"))
    func pathWithFewDescriptors() throws {
        let topology = try Machine.routed()
        let fixture = ResolverFixture()
        fixture.write("resolv.conf", "nameserver 192.0.2.53\n")
        var statuses: Set<Int32> = []
        for limit in 3...32 {
            let script = "mount --bind \(fixture.directory) /etc && ulimit -n \(limit) && exec \"$@\""
            let wrapper = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"]
            let outcome = try RunningProgram(["path", "--json"], in: topology, wrapper: wrapper).outcome()
            if outcome.complaints.contains("shared libraries") { continue }
            #expect(
                outcome.status == 2
                    ? outcome.complaints.contains("Too many open files")
                    : outcome.output.contains(#""dns":["192.0.2.53"]"#), "\(limit): \(outcome)")
            statuses.insert(outcome.status)
        }
        #expect(statuses == [0, 2])
    }

    @Test("that was stopped during many changes prints the final state")
    func stopped() throws {
        let topology = try Machine.routed()
        let program = try RunningProgram(["watch", "192.0.2.1"], in: topology)
        #expect(try program.nextLine().hasSuffix(" 192.0.2.1: Reachable"))
        let changer = try Changer(in: topology)
        for round in 0..<3 {
            try program.stop()
            // Far more than its queue holds, and all about the target.
            for number in 0..<5000 {
                try changer.apply(.route(.add, "192.0.2.0/24", via: "10.0.0.254", metric: UInt32(1 + number)))
            }
            try changer.apply(.route(.add, "192.0.2.1/32", kind: .unreachable))
            for number in 0..<5000 { try changer.apply(.route(.delete, "192.0.2.0/24", metric: UInt32(1 + number))) }
            program.send(SIGCONT)
            #expect(try program.nextLine().contains(" 192.0.2.1: Not Reachable ("), "round \(round)")
            try changer.apply(.route(.delete, "192.0.2.1/32", kind: .unreachable))
            #expect(try program.nextLine().hasSuffix(" 192.0.2.1: Reachable"), "round \(round)")
        }
    }
}
