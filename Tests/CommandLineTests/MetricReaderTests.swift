// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ReachabilityLinuxSystem
import TestTopology
import Testing

@testable import reachability

/// The programs that read metrics, as operators run them.
@Suite("What reads the metrics", .timeLimit(.minutes(10)), .needs(.namespaces, .settings))
struct MetricReaderTests {
    private let topology: Machine
    private let folder: MetricsFolder

    init() throws {
        topology = try Machine.wired()
        folder = try MetricsFolder()
    }

    /// All that a label can hold: quotes and backslashes cannot be in a target, but in the name of an interface.
    private static let odd = "e\"t\\h\u{1B}"

    private func state() throws -> ExportedState {
        ExportedState(
            targets: [
                MetricFormatTests.subject("db.example"), MetricFormatTests.subject("10.0.0.1", interface: Self.odd),
                MetricFormatTests.subject("192.0.2.1", flags: [], interface: nil),
            ],
            paths: [MetricFormatTests.subject("ipv4"), MetricFormatTests.subject("ipv6", flags: [])])
    }

    @Test("promtool finds nothing to complain about", .needs(.promtool))
    func promtool() throws {
        let text = try state().text
        #expect(try CallingThread.execute(["promtool", "check", "metrics"], input: text) == "")
        let program = try RunningProgram(["export", "10.0.0.9", "default"], in: topology)
        let printed = try program.outcome().output
        #expect(try CallingThread.execute(["promtool", "check", "metrics"], input: printed) == "")
    }

    // MARK: node_exporter

    /// node_exporter on the topology's loopback, with nothing but its textfile collector.
    private func nodeExporter() throws -> RunningProgram {
        let script = """
            exec prometheus-node-exporter --collector.disable-defaults --collector.textfile \
            --collector.textfile.directory="$0" --web.listen-address=127.0.0.1:9100 --web.disable-exporter-metrics
            """
        let exporter = try RunningProgram([], in: topology, wrapper: ["sh", "-c", script, folder.folder])
        try ProcessState.wait("node_exporter answers") { (try? scrape()) != nil }
        return exporter
    }

    private func scrape() throws -> String {
        let script = "exec 3<> /dev/tcp/127.0.0.1/9100 && printf 'GET /metrics HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3"
        let answer = try topology.run { () throws(MachineError) in
            try CallingThread.execute(["bash", "-c", script])
        }
        try #require(answer.hasPrefix("HTTP/1.0 200 "))
        return answer
    }

    private func scraped() throws -> [String: String] { try MetricsFolder.samples(scrape()) }

    @Test("node_exporter serves every metric with its type, and follows when a cable is pulled", .needs(.nodeExporter))
    func cable() throws {
        let up = "reachability_up{target=\"10.0.0.9\"}"
        let exporter = try nodeExporter()
        let program = try RunningProgram(
            ["export", "--textfile", folder.path, "10.0.0.9", "default"], in: topology)
        try ProcessState.wait("the state is served") { try scraped()[up] == "1" }
        try topology.ip("link set eth0-peer down")
        try ProcessState.wait("the new state is served") { try scraped()[up] == "0" }
        try topology.ip("link set eth0-peer up")
        try ProcessState.wait("the state is served again") { try scraped()[up] == "1" }
        let text = try scrape()
        let samples = MetricsFolder.samples(text)
        #expect(samples["reachability_changes_total{target=\"10.0.0.9\"}"] == "2")
        #expect(samples.keys.filter { $0.hasPrefix("reachability_info{") }.count == 2)
        for name in ["up", "flags", "last_change_timestamp_seconds", "info", "path_up", "build_info"] {
            #expect(text.contains("# TYPE reachability_\(name) gauge\n"), "\(name)")
        }
        #expect(text.contains("# TYPE reachability_changes_total counter\n"))
        #expect(samples["node_textfile_scrape_error"] == "0")
        // What the alert for a file of an earlier boot compares.
        #expect(samples.keys.contains("node_textfile_mtime_seconds{file=\"\(folder.path)\"}"))
        // When the program ends, its metrics do.
        program.send(SIGTERM)
        _ = try program.outcome()
        #expect(try !scrape().contains("reachability_"))
        #expect(try scraped()["node_textfile_scrape_error"] == "0")
        withExtendedLifetime(exporter) {}
    }

    @Test("node_exporter reads what promtool does not see: odd labels", .needs(.nodeExporter))
    func oddLabels() throws {
        let exporter = try nodeExporter()
        try state().text.write(toFile: folder.path, atomically: true, encoding: .utf8)
        let samples = try scraped()
        #expect(samples.keys.contains { $0.contains(#"interface="e\"t\\h\\u{1b}""#) }, "\(samples)")
        #expect(samples["node_textfile_scrape_error"] == "0")
        withExtendedLifetime(exporter) {}
    }
}
