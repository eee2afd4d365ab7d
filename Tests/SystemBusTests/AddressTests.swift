// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import ReachabilitySystemBus
import TestBus
import TestHosts
import TestWaiting
import Testing

@Suite("The address of a bus")
struct AddressTests {
    // Two tables, as Swift 6.2 does not see through a single one in time.
    private static let accepted: [String: [UnixSocket.Name]] = [
        "unix:path=/run/dbus/system_bus_socket": [.path("/run/dbus/system_bus_socket")],
        "unix:path=/a%20b%2C%3b,guid=00": [.path("/a b,;")],
        "unix:guid=00,path=/a": [.path("/a")],
        "unix:abstract=/tmp/dbus-x": [.abstract("/tmp/dbus-x")],
        "tcp:host=localhost,port=1;unix:path=/b;unix:abstract=c": [.path("/b"), .abstract("c")],
        ";;unix:path=/a;": [.path("/a")],
        "unix:abstract=%00a": [.abstract("\0a")],
    ]
    private static let refused: [String] = [
        "", "unix:", "unix:path=", "unix:path", "unix:dir=/tmp", "unix:path=/a,abstract=b", "unix:path=/a,path=/b",
        "unixexec:path=/a", "unix:path=/a b", "unix:path=/a%2", "unix:path=/a%zz", "unix:path=/a%00",
        "unix:path=/\(String(repeating: "a", count: 107))", "autolaunch:", "nonce-tcp:path=/a",
    ]

    @Test(arguments: accepted)
    func `names local sockets`(text: String, sockets: [UnixSocket.Name]) {
        #expect(BusAddress.sockets(in: text) == sockets)
    }

    @Test(arguments: refused)
    func `leaves out unreadable entries and those of other kinds`(text: String) {
        #expect(BusAddress.sockets(in: text) == [])
    }

    @Test func `of the system comes from the environment, or else is the usual one`() async {
        await #expect(processExitsWith: .success) {
            unsafe unsetenv("DBUS_SYSTEM_BUS_ADDRESS")
            precondition(BusAddress.ofSystem == [.path("/run/dbus/system_bus_socket")])
            unsafe setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:abstract=x", 1)
            precondition(BusAddress.ofSystem == [.abstract("x")])
            unsafe setenv("DBUS_SYSTEM_BUS_ADDRESS", "", 1)
            precondition(BusAddress.ofSystem == [])
        }
    }

    @Test func `belongs to a namespace if a socket of that namespace listens there`() throws {
        let fixture = ResolverFixture()
        defer { withExtendedLifetime(fixture) {} }
        let path = Array(fixture.path("bus").utf8)
        let listener = UnixListener()
        #expect(!UnixSocket.hasListener(at: path))
        try listener.listen(at: .path(path))
        #expect(UnixSocket.hasListener(at: path))
        #expect(!UnixSocket.hasListener(at: Array(path.dropLast())))
        #expect(!UnixSocket.hasListener(at: path + [0x61]))
        // The name of an abstract socket begins with a zero, where a path ends.
        let abstract = UnixListener()
        try abstract.listen(at: .abstract(path))
        #expect(!UnixSocket.hasListener(at: []))
    }

    /// The name of a connected socket is that of its listener.
    @Test("belongs to a namespace no longer when the listener has gone, though its clients are still there")
    func connected() throws {
        let fixture = ResolverFixture()
        defer { withExtendedLifetime(fixture) {} }
        let path = Array(fixture.path("bus").utf8)
        let client = try UnixSocket.open()
        var accepted: Int32?
        do {
            let listener = UnixListener()
            try listener.listen(at: .path(path))
            try UnixSocket.connect(client, to: .path(path))
            accepted = listener.accept()
        }
        // A program that another test starts at this moment has the descriptor, too, until its execve(2).
        try WaitLimit.wait(for: "the end of the listener") { !UnixSocket.hasListener(at: path) }
        InternetSocket.close(try #require(accepted))
    }

    /// In /proc/net/unix this listener's name passes for an entry of its own.
    @Test func `is not shown by a socket whose name contains a line feed and the line of a listener`() throws {
        let listener = UnixListener()
        let line = "\n0000000000000000: 00000002 00000000 00010000 0001 01 21504 /run/forged"
        try listener.listen(at: .abstract(Array(line.utf8)))
        #expect(!UnixSocket.hasListener(at: Array("/run/forged".utf8)))
    }
}

extension UnixSocket.Name {
    fileprivate static func path(_ text: String) -> Self { .path(Array(text.utf8)) }
    fileprivate static func abstract(_ text: String) -> Self { .abstract(Array(text.utf8)) }
}
