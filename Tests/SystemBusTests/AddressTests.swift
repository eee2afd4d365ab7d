// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import SystemBus
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

    @Test("names local sockets", arguments: accepted)
    func sockets(text: String, sockets: [UnixSocket.Name]) {
        #expect(BusAddress.sockets(in: text) == sockets)
    }

    @Test("leaves out unreadable entries and those of other kinds", arguments: refused)
    func noSockets(text: String) {
        #expect(BusAddress.sockets(in: text) == [])
    }

    @Test("of the system comes from the environment, or else is the usual one")
    func system() async {
        await #expect(processExitsWith: .success) {
            unsafe unsetenv("DBUS_SYSTEM_BUS_ADDRESS")
            precondition(BusAddress.ofSystem == [.path("/run/dbus/system_bus_socket")])
            unsafe setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:abstract=x", 1)
            precondition(BusAddress.ofSystem == [.abstract("x")])
            unsafe setenv("DBUS_SYSTEM_BUS_ADDRESS", "", 1)
            precondition(BusAddress.ofSystem == [])
        }
    }

    @Test("belongs to a namespace if a socket of that namespace listens there")
    func table() {
        let table = UnixSocketTable(
            Array(
                """
                Num       RefCount Protocol Flags    Type St Inode Path
                0000000000000000: 00000002 00000000 00010000 0001 01 21504 /run/dbus/system_bus_socket
                0000000000000000: 00000003 00000000 00000000 0001 03 21600 /run/connected only
                0000000000000000: 00000002 00000000 00010000 0001 01   100 /run/with a space
                0000000000000000: 00000002 00000000 00010000 0001 01 21505 @abstract
                0000000000000000: 00000002 00000000 00010000 0001 01 21506
                nonsense

                """.utf8))
        #expect(table.hasListener(at: Array("/run/dbus/system_bus_socket".utf8)))
        #expect(table.hasListener(at: Array("/run/with a space".utf8)))
        #expect(!table.hasListener(at: Array("/run/connected only".utf8)))
        #expect(!table.hasListener(at: Array("/run/dbus".utf8)))
        #expect(!table.hasListener(at: []))
        #expect(!UnixSocketTable([]).hasListener(at: []))
    }
}

extension UnixSocket.Name {
    fileprivate static func path(_ text: String) -> Self { .path(Array(text.utf8)) }
    fileprivate static func abstract(_ text: String) -> Self { .abstract(Array(text.utf8)) }
}
