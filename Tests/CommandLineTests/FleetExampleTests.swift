// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestTopology
import Testing

@testable import reachability

/// The rules and the unit that operators copy.
@Suite("The examples for fleets")
struct FleetExampleTests {
    /// The names of all samples.
    private static let metrics: Set<String> = {
        let subject = MetricFormatTests.subject("a")
        let text = ExportedState(targets: [subject], paths: [subject]).text
        return Set(MetricsFolder.samples(text).keys.map { String($0.prefix { $0 != "{" }) })
    }()

    /// The names in an expression that are ours.
    private func names(in text: String) -> Set<String> {
        Set(text.matches(of: /\breachability_[a-z_]+/).map { String($0.output) })
    }

    @Test("the page and the rules use metrics that exist, and all of them are used")
    func metricNames() throws {
        #expect(Self.metrics.count == 7)
        var used: Set<String> = []
        for path in ["Docs/Commands.md", "Examples/Fleet/alerts.yml"] {
            let names = try names(in: PackageFiles.text(path))
            #expect(names.isSubset(of: Self.metrics), "\(path): \(names.subtracting(Self.metrics))")
            used.formUnion(names)
        }
        #expect(used == Self.metrics)
        let manual = try PackageFiles.text("Docs/man/reachability.1")
        for name in Self.metrics { #expect(manual.contains(".It Li \(name)\n"), "\(name)") }
    }

    @Test("promtool accepts the rules, and they fire when they should", .needs(.promtool))
    func rules() throws {
        let folder = PackageFiles.path("Examples/Fleet")
        try CallingThread.execute(["promtool", "check", "rules", "\(folder)/alerts.yml"])
        let output = try CallingThread.execute(["promtool", "test", "rules", "\(folder)/alerts-test.yml"])
        #expect(output.contains("SUCCESS"))
        // Each alert has a test that expects it.
        let tests = try PackageFiles.text("Examples/Fleet/alerts-test.yml")
        for match in try PackageFiles.text("Examples/Fleet/alerts.yml").matches(of: /- alert: (\w+)/) {
            #expect(tests.contains("alertname: \(match.1)\n        exp_alerts:\n"), "\(match.1)")
        }
    }

    @Test("the unit runs the program with words that it takes, and can write in one folder only")
    func unit() throws {
        let unit = try PackageFiles.text("Units/reachability-export.service.in")
        let settings = Dictionary(
            unit.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
                line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
            }, uniquingKeysWith: { "\($0)\n\($1)" })
        let line = try #require(settings["ExecStart"])
        var words = line.split(separator: " ").dropFirst().map(String.init)
        let file = try #require(words.firstIndex(of: "${TEXTFILE}"))
        let environment = try #require(settings["Environment"])
        words[file] = try String(#require(environment.firstMatch(of: /TEXTFILE=(\S+)/)?.1))
        let folder = words[file].split(separator: "/").dropLast().joined(separator: "/")
        #expect(settings["ReadWritePaths"] == "-/\(folder)")
        // Only a program that was killed has left its file behind (systemd.exec(5), EXIT_CODE).
        let stop = try #require(settings["ExecStopPost"]?.firstMatch(of: /^-\/bin\/sh -c '(.*)'$/)?.1)
        let left = try MetricsFolder()
        for (code, isThere) in [("exited", true), ("killed", false), ("dumped", false)] {
            try "x 1\n".write(toFile: left.path, atomically: false, encoding: .utf8)
            let script = String(stop).replacing("$$", with: "$")
            try CallingThread.execute(["env", "EXIT_CODE=\(code)", "TEXTFILE=\(left.path)", "sh", "-c", script])
            #expect((left.text != nil) == isThere)
        }
        words = words.flatMap {
            $0 == "$OPTIONS" ? ["--interface", "eth0"] : $0 == "$TARGETS" ? ["default", "::1"] : [$0]
        }
        let arguments = try ArgumentParser.accepted(words)
        #expect(arguments.verb == .export && arguments.targets.count == 2)
        for (name, value) in [
            ("Type", "notify"), ("NoNewPrivileges", "yes"), ("CapabilityBoundingSet", ""), ("ProtectSystem", "strict"),
            ("RestrictAddressFamilies", "AF_NETLINK AF_INET AF_INET6 AF_UNIX"), ("MemoryDenyWriteExecute", "yes"),
            ("SystemCallFilter", "@system-service"), ("NotifyAccess", "main"), ("Restart", "on-failure"),
            ("RestartPreventExitStatus", "64"),
        ] {
            #expect(settings[name] == value, "\(name)")
        }
    }
}
