// SPDX-License-Identifier: Apache-2.0

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

    @Test(.disabled(if: Sanitizer.isOn, "the sanitizer's program exports nothing"))
    func `is told if its own c-ares cannot be used`() throws {
        try client.build("Tests/Fixtures/C/own-cares.c", "gcc -std=gnu17")
        let sentence = "the c-ares that this program exports is not version 1.18 or a later 1.x"
        #expect(try client.run() == "cannot resolve 'host.example': \(sentence)\n")
    }

    @Test func `is told at each call that a watcher no longer works, and its loop sleeps`() throws {
        try client.build("Tests/Fixtures/C/ended.c", "gcc -std=gnu17")
        #expect(try client.run() == "ok\n")
    }
}
