// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import NetworkTesting

/// What a test on a machine of its own can reach of the host, and hosts that refuse such machines.
@Suite struct HostTests {
    /// Programs that make a host. It ends by running the rest of its words.
    enum Host: String, CaseIterable {
        /// Has daemons to ask, proxies, and a resolv.conf that systemd-resolved writes.
        case full = """
            mount -t tmpfs none /run
            mkdir -p /run/dbus /run/nscd /run/systemd/resolve /run/etc
            touch /run/dbus/system_bus_socket /run/nscd/socket /run/systemd/resolve/io.systemd.Resolve
            echo nameserver 192.0.2.53 > /run/systemd/resolve/stub-resolv.conf
            cp -r /etc/. /run/etc 2> /dev/null || true
            mount --bind /run/etc /etc
            ln -sf ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf
            http_proxy=http://192.0.2.80 HTTPS_PROXY=http://192.0.2.80 DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/dbus/x
            export http_proxy HTTPS_PROXY DBUS_SYSTEM_BUS_ADDRESS
            exec "$@"
            """
        /// Has a user without any rights.
        case ordinary = #"exec unshare --user --map-user=1000 --map-group=1000 env DEED_USER=1000 "$@""#
        /// Lets nobody make a network.
        case refusing = #"echo 0 > /proc/sys/user/max_net_namespaces && exec "$@""#

        var words: [String] { ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", rawValue, "host"] }
    }

    @Test(arguments: [Host.full, .ordinary]) func `is not seen by a test`(_ host: Host) async throws {
        let run = try await Run("useMachine", by: host.words)
        #expect(run.outcome.issues.isEmpty && run.outcome.cancellation == nil, "\(run.ending.output)")
        #expect(run.ending.manner == .status(0))
    }

    @Test func `leaves out the tests where it refuses, and says what to do`() async throws {
        let run = try await Run("fail", by: Host.refusing.words)
        let reason = try #require(run.outcome.cancellation)
        #expect(reason.hasPrefix("needs a network of its own, which this system refuses (unshare: No space left"))
        #expect(reason.contains("sysctl -w user.max_user_namespaces"))
        #expect(run.outcome.issues.isEmpty && run.ending.manner == .status(0))
    }

    @Test(arguments: ["required", "here"]) func `fails the tests where it refuses and they are required`(
        _ mode: String
    ) async throws {
        let run = try await Run("pass", ["NETWORK_TESTING=\(mode)"], by: Host.refusing.words)
        #expect(run.outcome.issues.map { $0.text.prefix(8) } == ["It needs"])
        #expect(run.ending.manner == .status(1))
    }

    @Test(arguments: [
        ("/.dockerenv", "docker run --cap-add SYS_ADMIN"),
        (
            "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
            "`sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
        ),
        ("/proc/sys/kernel/unprivileged_userns_clone", "`sudo sysctl -w kernel.unprivileged_userns_clone=1`"),
        ("", "run the tests as root"),
    ]) func `is told by what it has`(_ path: String, _ line: String) {
        #expect("\(Refusal(cause: "unshare: Operation not permitted") { $0 == path })".contains(line))
    }

    /// Nothing of the host is asked, however a test asks: every connect(2) to a Unix socket fails.
    @Test(.needs(.strace)) func `is not asked by a test`() async throws {
        let file = "/tmp/strace-\(getpid())"
        defer { unsafe unlink(file) }
        let run = try await Run(
            "ask", by: Host.full.words + ["strace", "-f", "-qq", "-e", "trace=connect", "-o", file])
        #expect(run.outcome.issues.isEmpty, "\(run.ending.output)")
        let calls = try String(decoding: Files.contents(of: file), as: UTF8.self).split(separator: "\n")
        #expect(calls.contains { $0.contains(#"sin_addr=inet_addr("127.0.0.1")"#) })
        let reached = calls.filter { $0.contains("AF_UNIX") && !$0.contains("= -1 ") }
        #expect(reached.isEmpty, "\(reached)")
    }
}
