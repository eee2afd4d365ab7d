// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityKit
import TestTopology
import Testing

@Suite("Without C", .timeLimit(.minutes(10)), .needs(.namespaces))
struct BindingTests {
    private let client: CClient

    init() throws {
        client = try CClient()
        try client.topology.wire("eth0", address: "10.0.0.1/24")
    }

    private func python(_ words: String..., under wrapper: [String] = []) throws -> String {
        // The name by which it is installed.
        _ = try CallingThread.execute(["ln", "-s", CClient.library, "\(client.directory)/libreachability.so.1"])
        let environment = [
            "env", "LD_LIBRARY_PATH=\(client.directory)", "PYTHONPATH=\(BuiltProduct.package)/Sources/Bindings/Python",
            "PYTHONDONTWRITEBYTECODE=1",
        ]
        return try client.run(environment + wrapper + ["python3", "-X", "dev", "-W", "error"] + words)
    }

    @Test(.needs(.python), .unsanitized) func `Python gets answers, refusals, callbacks and a sequence`() throws {
        #expect(try python("\(BuiltProduct.package)/Tests/Fixtures/Python/client.py") == "ok\n")
    }

    /// Where sockets are connected, a policy may refuse that for one target.
    @Test(.needs(.python), .unsanitized) func `Python raises why the kernel refuses to answer, also in a loop`() throws
    {
        try client.topology.ip(
            "route add default via 10.0.0.254\nxfrm policy add dir out dst 192.0.2.1/32 action block")
        let script = """
            import asyncio, reachability
            async def ask(host):
                try:
                    return int(await reachability.aio.flags(host, name_timeout=0.2))
                except reachability.ReachabilitySystemError as error:
                    return error.errno
            print([asyncio.run(ask(host)) for host in ["192.0.2.1", "192.0.2.2", "name.test"]])
            """
        #expect(try python("-c", script, under: [BuiltProduct.path("deny-netlink"), "1"]) == "[1, 2, 0]\n")
    }

    private static let moduleSources = ["monitor.c", "watching.c", "questions.c"]
        .map { "Sources/Bindings/GIO/\($0)" }.joined(separator: " ")

    static func buildModule(_ client: CClient) throws {
        try client.build(
            moduleSources, "gcc -std=gnu17 -fvisibility=hidden", packages: ["gio-2.0"],
            output: "libgioreachability.so")
    }

    @Test(.needs(.glib)) func `GLib's monitor gives our answers if the module is there`() throws {
        try client.build("Tests/Fixtures/C/gio.c", "gcc -std=gnu17", packages: ["gio-2.0"])
        try Self.buildModule(client)
        let words = ["env", "GIO_EXTRA_MODULES=\(client.directory)", "GIO_USE_NETWORK_MONITOR=reachability"]
        #expect(try client.run(under: words) == "ok\n")
    }

    @Test(.needs(.glib)) func `GLib's monitor is right from the start, and used by one thread at a time`() throws {
        try client.build("Tests/Fixtures/C/gio-thread.c", "gcc -std=gnu17 -rdynamic", packages: ["gio-2.0"])
        try Self.buildModule(client)
        // A portal and metered, and then no network: of a route that is there only while the monitor begins, too.
        let modules = ["env", "GIO_EXTRA_MODULES=\(client.directory)"]
        #expect(try client.run("short", under: modules) == "3 1\n1\n")
        try client.topology.ip("route add default via 10.0.0.254")
        #expect(try client.run(under: modules) == "3 1\n1\n")
    }

    @Test(.needs(.glib)) func `GLib's monitor goes on in a daemon that was made of its process`() throws {
        try client.build("Tests/Fixtures/C/gio-daemon.c", "gcc -std=gnu17", packages: ["gio-2.0"])
        try Self.buildModule(client)
        #expect(try client.run(under: ["env", "GIO_EXTRA_MODULES=\(client.directory)"]) == "ok\n")
    }

    @Test(.needs(.glib)) func `GLib's monitor ends a cancelled question at once, and tells its late answer to nobody`()
        throws
    {
        try client.build("Tests/Fixtures/C/gio-cancel.c", "gcc -std=gnu17 -rdynamic", packages: ["gio-unix-2.0"])
        try Self.buildModule(client)
        #expect(try client.run(under: ["env", "GIO_EXTRA_MODULES=\(client.directory)"]) == "ok\n")
    }

    /// This process is such a program: it contains a copy of this package, and the module brings another.
    @Test(.needs(.glib), .unsanitized)
    func `GLib's monitor is right in a Swift program that watches by itself, too`() async {
        await #expect(processExitsWith: .success) {
            let client = try CClient()
            try client.topology.wire("eth0", address: "10.0.0.1/24")
            try client.build(
                "Tests/Fixtures/C/gio.c", "gcc -std=gnu17 -Dmain=run_monitor", packages: ["gio-2.0"], output: "gio.so")
            try Self.buildModule(client)
            unsafe setenv("GIO_EXTRA_MODULES", client.directory, 1)
            let library = unsafe dlopen("\(client.directory)/gio.so", RTLD_NOW)
            let found = unsafe dlsym(library, "run_monitor")
            let run = unsafe unsafeBitCast(found, to: (@convention(c) (_ count: CInt, _ words: Int) -> CInt).self)
            let told = ReceivedValues<ReachabilityFlags>()
            let host = try client.topology.run { try ReachabilityRef(address: "203.0.113.1") }
            host.setCallback { told.record($0) }
            try host.setDispatchQueue(told.queue)
            try #require(client.topology.run { run(1, 0) } == 0)
            try #require(try told.next() == .reachable)
            try #require(try told.next() == [])
            try #require(try host.getFlags() == [])
        }
    }

    /// Debian's python3-gi knows nothing of this package.
    @Test(.needs(.glib, .pythonGLib), .unsanitized)
    func `a Python program of GLib's is right with the module, and unchanged`() throws {
        try Self.buildModule(client)
        func run(_ settings: [String], _ change: String) throws -> [Substring] {
            let program = ["/usr/bin/python3", "\(BuiltProduct.package)/Tests/Fixtures/Python/monitor.py"]
            try client.topology.ip("route replace default via 10.0.0.254")
            return try client.run(["env"] + settings + program + ["sh", "-c", change]).split(separator: "\n")
        }
        let module = "GIO_EXTRA_MODULES=\(client.directory)"
        let ours = try run([module], "ip route add unreachable 192.0.2.0/24")
        // GLib 2.74's own monitor says True, and signals nothing.
        #expect(ours == ["ReachabilityMonitor", "available True", "available False"])
        // The environment can ask for GLib's own.
        let theirs = try run([module, "GIO_USE_NETWORK_MONITOR=netlink"], "ip route del default")
        #expect(theirs.first == "GNetworkMonitorNetlink")
    }
}

extension Trait where Self == ConditionTrait {
    /// Debian's Python, and the toolchain's CoreFoundation, are not sanitized.
    static var unsanitized: Self {
        .disabled(if: Sanitizer.isOn, "it is not sanitized, and cannot load a library that is")
    }
}
