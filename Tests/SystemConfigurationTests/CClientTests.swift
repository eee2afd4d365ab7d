// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityLinuxSystem
import TestTopology
import Testing

/// Builds C and C++ programs against the headers and the library, as a client does, and runs them.
@Suite(
    "A client in C", .timeLimit(.minutes(10)), .needs(.namespaces, .settings),
    .disabled(if: Sanitizer.isOn, "the clients are not sanitized, and cannot load a library that is"))
struct CClientTests {
    private let topology: Machine
    private let folder: TemporaryFolder
    private var directory: String { folder.path }

    init() throws {
        topology = try Machine()
        folder = TemporaryFolder()
    }

    /// The directory lib/swift of the toolchain whose libraries the tests use.
    private static let toolchain: String = {
        let maps = String(decoding: (try? Files.contents(of: "/proc/self/maps", limit: 8 << 20)) ?? [], as: UTF8.self)
        let line = maps.split(separator: "\n").first { $0.hasSuffix("/linux/libFoundation.so") } ?? ""
        return String(line.drop { $0 != "/" }.dropLast("/linux/libFoundation.so".count))
    }()

    private func build(_ source: String, _ compiler: String, _ options: String = "") throws {
        let library = BuiltProduct.folder
        let words =
            "\(compiler) -Wall -Wextra -Werror -I\(BuiltProduct.package)/Sources/Bindings/CSystemConfigurationHeaders/include \(options) "
            + "\(BuiltProduct.package)/\(source) -L\(library) -Wl,-rpath,\(library) -lCSystemConfiguration -pthread "
            + "-o \(directory)/client"
        let outcome = try topology.outcome(of: words.split(separator: " ").map(String.init))
        #expect(outcome == RunningProgram.Outcome(), "\(words)")
    }

    private func run(_ arguments: String...) throws -> RunningProgram.Outcome {
        try topology.outcome(of: ["\(directory)/client"] + arguments)
    }

    private func expectOK(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let outcome = try run()
        #expect(outcome == RunningProgram.Outcome(output: "ok\n"), sourceLocation: sourceLocation)
    }

    /// That of the toolchain, not that of PATH.
    private static let clang = "\(toolchain)/../../bin/clang"
    private static let clangWithBlocks = "\(clang) -fblocks"

    /// The options for some of the toolchain's libraries.
    private static func with(_ libraries: String) -> String {
        "-isystem \(toolchain) -L\(toolchain)/linux \(libraries) -Wl,-rpath,\(toolchain)/linux"
    }

    /// CoreFoundation, libdispatch and blocks.
    private static let withLibraries = with("-lFoundation -ldispatch -lBlocksRuntime")
    private static let compilers =
        [
            "gcc -std=gnu17", "gcc -std=gnu99", "\(clang) -std=gnu17",
            "\(clang)++ -x c++ -std=c++17 -Wno-missing-field-initializers",
        ] + (hasGPlusPlus ? ["g++ -x c++ -std=c++17 -Wno-missing-field-initializers"] : [])
    /// It is in a package that neither the build nor the other tests need.
    private static let hasGPlusPlus = (try? CallingThread.execute(["g++", "--version"])) != nil

    @Test("gets answers, refusals and callbacks, also on sixteen threads", arguments: compilers)
    func plain(_ compiler: String) throws {
        try build("Tests/Fixtures/C/client.c", compiler)
        try expectOK()
    }

    // MARK: Memory

    /// Builds a client against a library without debugging information, which valgrind cannot read, and runs it under
    /// valgrind. The status 99 means an error or a leak.
    private func runWithValgrind(
        _ source: String, _ compiler: String, _ arguments: String...
    ) throws -> RunningProgram.Outcome {
        let library = "\(directory)/libCSystemConfiguration.so"
        let whole = "\(BuiltProduct.folder)/libCSystemConfiguration.so"
        _ = try topology.outcome(of: ["strip", "-g", "-o", library, whole])
        try build(source, compiler, "-L\(directory) -Wl,-rpath,\(directory)")
        let valgrind = [
            "valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--show-leak-kinds=definite",
            "--suppressions=\(BuiltProduct.package)/Tests/Fixtures/C/valgrind.supp",
        ]
        return try topology.outcome(of: valgrind + ["\(directory)/client"] + arguments)
    }

    @Test("uses memory correctly and leaks none", arguments: ["gcc -std=gnu17", "\(clang) -std=gnu17"])
    func memory(_ compiler: String) throws {
        let outcome = try runWithValgrind("Tests/Fixtures/C/client.c", compiler, "4", "alone")
        #expect(outcome.status == 0 && outcome.output == "ok\n", "\(outcome)")
    }

    @Test("with a leak is detected")
    func leak() throws {
        #expect(try runWithValgrind("Tests/Fixtures/C/leak.c", "gcc -std=gnu17").status == 99)
    }

    @Test("asks once, as in the example")
    func check() throws {
        try build("Examples/C/check.c", "gcc -std=gnu17 -pedantic")
        #expect(try run("127.0.0.1") == RunningProgram.Outcome(output: "127.0.0.1: reachable (0x00030002)\n"))
        #expect(try run("192.0.2.1").status == 1)
        #expect(try run("") == RunningProgram.Outcome(status: 2, complaints: ": Invalid argument\n"))
    }

    @Test("is called back on a thread of the library, as in the example")
    func thread() throws {
        try build("Examples/C/thread.c", "gcc -std=gnu17 -pedantic")
        #expect(try run("localhost", "1") == RunningProgram.Outcome(output: "localhost: 0x00030002\n"))
    }

    @Test("is called back on a dispatch queue, as in the example")
    func queue() throws {
        try build("Examples/C/queue.c", Self.clangWithBlocks, Self.with("-ldispatch -lBlocksRuntime"))
        #expect(try run("localhost", "1") == RunningProgram.Outcome(output: "localhost: 0x00030002\n"))
    }

    @Test("is called back by a run loop of its own CoreFoundation")
    func runLoop() throws {
        try build("Tests/Fixtures/C/runloop.c", Self.clangWithBlocks, Self.with("-lFoundation"))
        try expectOK()
    }

    @Test("has objects that are CoreFoundation's, and passes other objects for them")
    func objects() throws {
        try topology.wire("eth0", address: "10.0.0.1/24")
        try build("Tests/Fixtures/C/objects.c", Self.clangWithBlocks, Self.withLibraries)
        try expectOK()
    }

    private static let optionsOfPorts = "-std=gnu17 -Wno-unused-parameter \(withLibraries)"

    /// A program by an author who had not seen this package, and lines that it must print.
    struct Port: Sendable, CustomTestStringConvertible {
        let name: String
        var words: [String] = []
        let says: [String]

        var testDescription: String { name }
        var source: String { "Tests/Fixtures/Ports/C/\(name).c" }
    }

    /// These run until they are ended. The second line follows a change. What a monitor prints before it watches is not waited
    /// for.
    @Test(
        "is told of changes as on a Mac",
        arguments: [
            Port(
                name: "08a_reachability", words: ["192.0.2.77"],
                says: ["192.0.2.77: d------R 0x00020002", "192.0.2.77: -------- 0x00000000"]),
            Port(
                name: "08b_reach_by_name_2006", words: ["192.0.2.1", "3600"],
                says: ["pair 192.0.2.10 -> 192.0.2.1: reachable", "192.0.2.1: not reachable"]),
        ])
    func monitors(_ port: Port) throws {
        try topology.wire("eth0", address: "192.0.2.10/24")
        try topology.ip("route add default via 192.0.2.1")
        try build(port.source, Self.clangWithBlocks, Self.optionsOfPorts)
        let program = try RunningProgram(["stdbuf", "-oL", "\(directory)/client"] + port.words, in: topology)
        defer { program.end() }
        try program.waitForOutput("\(port.says[0])\n")
        // Some print the first line before they watch.
        try program.waitUntilWatching()
        try topology.ip("address del 192.0.2.10/24 dev eth0")
        try program.waitForOutput("\(port.says[1])\n")
    }

    @Test(
        "needs one header only, with and without CoreFoundation's",
        arguments: ["SystemConfiguration", "SCNetworkReachability", "SCNetwork"])
    func headers(_ header: String) throws {
        let options = "-DHEADER=<SystemConfiguration/\(header).h>"
        for compiler in ["gcc -std=gnu99", "gcc -std=gnu17", "\(Self.clang) -std=gnu17"] {
            try build("Tests/Fixtures/C/headers.c", compiler, options)
        }
        try build("Tests/Fixtures/C/headers.c", Self.clangWithBlocks, "-isystem \(Self.toolchain) \(options)")
    }
}
