// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology
import Testing

@Suite("A program in C", .timeLimit(.minutes(10)), .needs(.namespaces))
struct ClientTests {
    private let client: CClient

    init() throws {
        client = try CClient()
        try client.topology.wire("eth0", address: "10.0.0.1/24")
    }

    @Test(arguments: ["gcc -std=c89 -pedantic -D_DEFAULT_SOURCE", "gcc -std=gnu17", "clang -std=gnu17"])
    func `gets answers, refusals and callbacks`(compiler: String) throws {
        try client.build("Tests/Fixtures/C/embedded.c", compiler)
        #expect(try client.run() == "ok\n")
    }

    @Test(.disabled(if: Sanitizer.isOn, "valgrind cannot run a sanitized program"), arguments: ["gcc -std=gnu17"])
    func `uses memory correctly and leaks none`(compiler: String) throws {
        try client.build("Tests/Fixtures/C/embedded.c", compiler, strippedLibrary: true)
        #expect(try client.run(under: CClient.valgrind) == "ok\n")
    }

    @Test(.disabled(if: Sanitizer.isOn, "the sanitizer's program exports nothing"), arguments: ["", "-DPART"])
    func `is told if its own c-ares cannot be used`(option: String) throws {
        try client.build("Tests/Fixtures/C/own-cares.c", "gcc -std=gnu17", options: option)
        let sentence = "the c-ares that this program exports is not version 1.18 or a later 1.x, or not all of it"
        #expect(try client.run() == "cannot resolve 'host.example': \(sentence)\n")
    }

    /// The loader gives the library the program's c-ares if the program exports it.
    @Test(
        .disabled(if: Sanitizer.isOn, "the sanitizer's program exports nothing"),
        arguments: ["-rdynamic": "the program's", "-Wl,--exclude-libs,ALL": "another"])
    func `uses its own c-ares beside the library`(linking: String, whose: String) throws {
        let server = client.topology.run {
            NameServer { question in
                .answer(question.isA ? [.address(question.name, IPAddress(text: "10.0.0.7"))] : [])
            }
        }
        defer { server.stop() }
        let whole = "-Wl,--whole-archive -l:libcares.a -Wl,--no-whole-archive"
        try client.build("Tests/Fixtures/C/two-cares.c", "gcc -std=gnu17 -pthread", options: "\(whole) \(linking)")
        #expect(try client.run("\(server.port)") == "\(whose)\n")
    }

    @Test(.unsanitized) func `uses both libraries at once, each of which contains the core`() throws {
        let headers = "-I\(BuiltProduct.package)/Sources/Bindings/CSystemConfigurationHeaders/include"
        try client.build(
            "Tests/Fixtures/C/both.c", "gcc -std=gnu17 -pthread \(headers)", options: "-lCSystemConfiguration")
        // Whichever comes first has the symbols of both.
        for first in [CClient.library, BuiltProduct.path("libCSystemConfiguration.so")] {
            #expect(try client.run(under: ["env", "LD_PRELOAD=\(first)"]) == "ok\n")
        }
    }

    @Test func `is told at each call that a watcher no longer works, and its loop sleeps`() throws {
        try client.build("Tests/Fixtures/C/ended.c", "gcc -std=gnu17")
        #expect(try client.run() == "ok\n")
    }
}
