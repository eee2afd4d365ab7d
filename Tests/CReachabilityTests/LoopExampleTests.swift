// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

@Suite("The example for", .timeLimit(.minutes(10)), .needs(.namespaces))
struct LoopExampleTests {
    /// Runs an example until it has told of three states, while a route comes and goes.
    private func follow(_ example: String, _ compiler: String, packages: String..., options: String = "") throws {
        let client = try CClient()
        try client.topology.wire("eth0", address: "10.0.0.1/24")
        try client.build("Examples/Loops/\(example)", compiler, packages: packages, options: options)
        let program = try RunningProgram(["\(client.directory)/client", "192.0.2.1", "3"], in: client.topology)
        defer { program.end() }
        try program.waitForOutput("192.0.2.1: 0x00000000\n")
        try client.topology.ip("route add default via 10.0.0.254")
        try program.waitForOutput("192.0.2.1: 0x00000002\n")
        try client.topology.ip("route del default via 10.0.0.254")
        try program.waitForOutput("192.0.2.1: 0x00000000\n")
        // It ends by itself, and says no more.
        #expect(throws: RunningProgram.NoMoreOutput.self) { try program.waitForOutput("192.0.2.1") }
    }

    @Test func `poll is told of changes`() throws { try follow("plain.c", "gcc -std=c89 -pedantic -D_DEFAULT_SOURCE") }

    @Test func `epoll is told of changes`() throws { try follow("epoll.c", "gcc -std=c99 -pedantic") }

    @Test(.needs(.glib)) func `GLib is told of changes`() throws {
        try follow("glib.c", "gcc -std=gnu17", packages: "glib-2.0")
    }

    @Test(.needs(.libuv)) func `libuv is told of changes`() throws {
        try follow("libuv.c", "gcc -std=gnu17", packages: "libuv")
    }

    @Test(.unsanitized) func `CoreFoundation's run loop is told of changes`() throws {
        // Debian's compilers do not understand the headers of the toolchain's CoreFoundation.
        let clang = try CallingThread.execute(["sh", "-c", "readlink -f \"$(command -v swift)\""])
        let tools = clang.prefix(upTo: try #require(clang.lastIndex(of: "/")))
        let swift = "\(tools)/../lib/swift"
        try follow(
            "corefoundation.c", "\(tools)/clang -std=gnu17 -fblocks",
            options: "-isystem \(swift) -L\(swift)/linux -lFoundation -Wl,-rpath,\(swift)/linux")
    }

    @Test(.needs(.systemd)) func `systemd's loop is told of changes`() throws {
        try follow("sd-event.c", "gcc -std=gnu17", packages: "libsystemd")
    }

    @Test(.needs(.cxx)) func `C++ is told of changes`() throws { try follow("cxx.cpp", "g++ -std=c++20 -pedantic") }

    @Test(.needs(.libcurl, .python)) func `a pool of libcurl has connections of one network only`() throws {
        let client = try CClient()
        try client.topology.wire("eth0", address: "10.0.0.1/24")
        try client.topology.ip("route add default via 10.0.0.254")
        try client.build("Examples/Pools/libcurl.c", "gcc -std=gnu17", packages: ["libcurl"])
        func start(_ command: String) throws -> RunningProgram {
            try RunningProgram(["sh", "-c", "cd \(client.directory) && exec \(command)"], in: client.topology)
        }
        let server = try start("python3 -u -m http.server --protocol HTTP/1.1 --bind 127.0.0.1 8000")
        defer { server.end() }
        try server.waitForOutput("Serving HTTP on")
        let program = try start("env no_proxy=127.0.0.1 ./client http://127.0.0.1:8000/client")
        defer { program.end() }
        try program.waitForOutput("new, reused\n")
        try client.topology.ip("route replace default via 10.0.0.253")
        try program.waitForOutput("reused, reused\n")
        try client.topology.ip("route del default")
        try program.waitForOutput("new, reused\n")
    }
}
