// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

/// The manual pages and the programs agree.
@Suite("The manual pages")
struct ManualTests {
    /// The long options of a text.
    private func options(in text: String) -> Set<String> {
        Set(text.matches(of: /--[a-z][a-z]*/).map { String($0.output) })
    }

    /// The long options of a page's source, which are arguments of the macro `Fl`.
    private func options(inPage text: String) -> Set<String> {
        Set(text.matches(of: /Fl -([a-z]+)/).map { "--\($0.1)" })
    }

    @Test("have the options of the help and no others, every verb, and every exit status")
    func reachability() throws {
        let page = try PackageFiles.text("Docs/man/reachability.1")
        let help = try [
            ["--help"], ["check", "--help"], ["watch", "--help"], ["wait", "--help"], ["path", "--help"],
        ]
        .map { try CallingThread.execute([RunningProgram.path("reachability")] + $0) }.joined()
        #expect(options(inPage: page) == options(in: help))
        for verb in ["check", "watch", "wait", "path"] {
            #expect(help.contains("reachability \(verb)") || help.contains("reachability [\(verb)]"))
            #expect(page.contains(".It Cm \(verb)\n"))
        }
        for status in ["0", "1", "2", "64", "130"] {
            #expect(help.contains(" \(status) ") && page.contains(".It \(status)\n"))
        }
        for key in ["target", "flags", "names", "reachable", "interface", "gateway", "source", "addresses", "reason"] {
            #expect(page.contains(".It Li \(key)\n"))
        }
    }

    @Test("have everything in scutil's usage")
    func scutil() throws {
        let page = try PackageFiles.text("Docs/man/scutil.1")
        var usage = ""
        do throws(TopologyError) {
            _ = try CallingThread.execute([RunningProgram.path("scutil"), "--help"])
        } catch {
            guard case .command(_, let status, let complaints) = error else { throw error }
            #expect(status == 64 && page.contains(".It 64\n"))
            usage = complaints
        }
        #expect(options(in: usage) == ["--nwi"] && options(inPage: page) == ["--nwi"])
        let letters = Set(usage.matches(of: /[\[ ]-([a-zA-Z])\b/).map(\.1))
        #expect(letters.count == 5)
        for letter in letters {
            #expect(page.contains(".It Fl \(letter)\n") || page.contains("Fl \(letter) ,"), "-\(letter)")
        }
        for word in ["interface", "no-connection-on-demand", "no-resolve"] {
            #expect(usage.contains(word) && page.contains(".It Cm \(word)"))
        }
    }
}
