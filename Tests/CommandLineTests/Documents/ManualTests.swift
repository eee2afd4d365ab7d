// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityKit
import TestTopology
import Testing

@testable import reachability

/// The manual pages and the programs agree.
@Suite("The manual pages")
struct ManualTests {
    /// The long options of a text.
    private func options(in text: String) -> Set<String> {
        Set(text.matches(of: /--[a-z][a-z0-9]*/).map { String($0.output) })
    }

    /// The long options of a page's source, which are arguments of the macro `Fl`.
    private func options(inPage text: String) -> Set<String> {
        Set(text.matches(of: /Fl -([a-z][a-z0-9-]*)/).map { "--\($0.1)" })
    }

    @Test("have the options of the table and no others, every verb, exit status and reason")
    func reachability() throws {
        let page = try PackageFiles.text("Docs/man/reachability.1")
        let special = [OptionTable.help.name, OptionTable.version.name]
        #expect(options(inPage: page) == Set(OptionTable.all.map(\.name) + special))
        for option in OptionTable.all {
            let short = option.short.map { " , \($0.dropFirst())" } ?? ""
            #expect(page.contains(".It Fl -\(option.name.dropFirst(2))\(short)"), "\(option.name)")
        }
        for verb in Verb.allCases {
            #expect(page.contains(".It Cm \(verb.rawValue)\n"))
            let help = try CallingThread.execute([BuiltProduct.path("reachability"), verb.rawValue, "--help"])
            #expect(help == Help.text(for: verb) + "\n")
        }
        for status in ExitStatus.allCases { #expect(page.contains(".It \(status.rawValue)\n"), "\(status)") }
        for code in Reason.allCodes { #expect(page.contains(".It Li \(code)\n"), "\(code)") }
        for key in AnswerLine.keys { #expect(page.contains(".It Li \(key)\n"), "\(key)") }
    }

    @Test("have everything in scutil's usage")
    func scutil() throws {
        let page = try PackageFiles.text("Docs/man/scutil.1")
        let help = try CallingThread.execute([BuiltProduct.path("scutil"), "--help"])
        let usage = String(help.prefix(upTo: help.range(of: "\n\n")?.lowerBound ?? help.endIndex))
        #expect(page.contains(".It 64\n"))
        // What is not offered of Apple's program is named, too.
        for option in ["--prefs", "--set", "--error", "--nc"] { #expect(help.contains(option)) }
        let long: Set = ["--nwi", "--get", "--dns", "--proxy"]
        #expect(options(in: usage) == long && options(inPage: page) == long.union(["--help"]))
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
