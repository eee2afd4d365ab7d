// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

@Suite(
    "Without C", .timeLimit(.minutes(10)), .needs(.namespaces),
    .disabled(if: Sanitizer.isOn, "the clients are not sanitized, and cannot load a library that is"))
struct BindingTests {
    private let client: CClient

    init() throws {
        client = try CClient()
        try client.topology.wire("eth0", address: "10.0.0.1/24")
    }

    @Test(.needs(.python)) func `Python gets answers, refusals, callbacks and a sequence`() throws {
        try client.nameLibraryAsInstalled()
        let words = [
            "env", "LD_LIBRARY_PATH=\(client.directory)", "PYTHONPATH=\(CClient.package)/Python",
            "PYTHONDONTWRITEBYTECODE=1", "python3", "-X", "dev", "-W", "error",
            "\(CClient.package)/Tests/Fixtures/Python/client.py",
        ]
        #expect(try client.run(words) == "ok\n")
    }

    @Test(.needs(.glib)) func `GLib's monitor gives our answers if the module is there`() throws {
        try client.build("Tests/Fixtures/C/gio.c", "gcc -std=gnu17", packages: ["gio-2.0"])
        try client.build(
            "GIO/monitor.c", "gcc -std=gnu17", packages: ["gio-2.0", "gio-unix-2.0"], output: "libgioreachability.so")
        let words = ["env", "GIO_EXTRA_MODULES=\(client.directory)", "GIO_USE_NETWORK_MONITOR=reachability"]
        #expect(try client.run(under: words) == "ok\n")
    }
}
