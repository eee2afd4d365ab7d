// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityKit
import TestTopology
import Testing

/// Checks what a program can check in the pages.
@Suite("The documents")
struct DocumentTests {
    private static let blocks: [CodeBlock] = {
        let catalogs = PackageFiles.paths(".md", below: ["Sources"])
        let pages = (PackageFiles.pages + catalogs).flatMap { path in
            CodeBlock.all(in: (try? PackageFiles.text(path)) ?? "", of: path)
        }
        let comments = PackageFiles.paths(".swift", below: ["Sources"]).flatMap { path in
            CodeBlock.all(in: (try? PackageFiles.text(path)) ?? "", of: path, behind: "///")
        }
        return pages + comments
    }()

    /// All sources in these folders belong to targets that are built with the tests, but for those that a test below compiles.
    private static let sources =
        PackageFiles.paths(".swift", below: ["Examples", "Tests"]).map { path in
            Code(((try? PackageFiles.text(path)) ?? "").split(separator: "\n", omittingEmptySubsequences: false))
        } + blocks.map(\.code).filter(isManifest)

    private static func isManifest(_ code: Code) -> Bool { code.imports == ["import PackageDescription"] }

    @Test("show Swift that is compiled", arguments: blocks)
    func code(_ block: CodeBlock) {
        #expect(!block.code.lines.isEmpty)
        if Self.isManifest(block.code) { return }
        #expect(Self.sources.contains { block.code.stands(in: $0) }, "no example or test contains this")
    }

    /// This package depends on no other. What of theirs the samples use is declared in Tests/Fixtures/StandIns.
    @Test("show code for other packages that compiles with their interfaces")
    func ecosystem() throws {
        let folder = try MetricsFolder()
        for path in PackageFiles.paths(".swift", below: ["Tests/Fixtures/StandIns"]) {
            try Compiler.makeModule(of: PackageFiles.path(path), in: folder.folder)
        }
        let samples = PackageFiles.paths(".swift", below: ["Examples/Ecosystem"])
        #expect(samples.count == 2)
        for path in samples {
            let options = ["-swift-version", "6", "-I", folder.folder]
            #expect(try Compiler.complaints(about: PackageFiles.path(path), options) == "", "\(path)")
        }
        withExtendedLifetime(folder) {}
    }

    /// What stands around "…" is compiled; so is a name with a bracket or a blank.
    @Test("show code in the tables of Porting that is compiled")
    func tables() throws {
        let compiled = try PackageFiles.paths(".swift", below: ["Examples/Documented"]).map(PackageFiles.text).joined()
        let rows = try PackageFiles.text("Docs/Porting.md").split(separator: "\n").filter { $0.hasPrefix("|") }
        // What stands between the first and the second backquote, the third and the fourth, and so on.
        let spans = rows.flatMap { row in
            row.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
        }
        let code = spans.map(\.element).filter { $0.contains { " ([".contains($0) } }
        #expect(code.count > 40)
        for line in code {
            for piece in line.split(separator: "…") {
                let isCompiled = compiled.contains(piece.trimmingCharacters(in: .whitespaces))
                #expect(isCompiled, "no example contains \(piece) of \(line)")
            }
        }
    }

    /// Beside a typed error a pattern is always true, and can crash the compiler of Swift 6.3.1.
    @Test("catch errors without a pattern")
    func catches() throws {
        let examples = try PackageFiles.paths(".swift", below: ["Examples"]).flatMap { path in
            try PackageFiles.text(path).split(separator: "\n").map { (path, String($0)) }
        }
        let samples = Self.blocks.flatMap { block in block.code.lines.map { (block.path, $0) } }
        #expect(samples.contains { $0.1.contains("} catch {") })
        for (path, line) in examples + samples {
            #expect(!line.contains(/catch (let|is|as)|as[?!]? ReachabilityError/), "\(path): \(line)")
        }
    }

    @Test("show a manifest that the package manager accepts")
    func manifest() throws {
        let text = try PackageFiles.text("Docs/Embedding.md")
        let start = try #require(text.range(of: "```swift\n// swift-tools-version"))
        let rest = text[start.lowerBound...].dropFirst("```swift\n".count)
        let manifest = try #require(rest.range(of: "```")).lowerBound
        let folder = try MetricsFolder()
        let path = folder.folder
        try String(rest[..<manifest]).write(toFile: "\(path)/Package.swift", atomically: true, encoding: .utf8)
        let output = try CallingThread.execute([
            "env", "HOME=\(path)", "swift", "package", "--package-path", path, "dump-package",
        ])
        #expect(output.contains("swift-network-reachability"))
        withExtendedLifetime(folder) {}
    }

    @Test("name files and make targets that exist", arguments: PackageFiles.pages)
    func names(path: String) throws {
        let text = try PackageFiles.text(path)
        for match in text.matches(of: /`((Docs|Examples|Scripts|Sources|Tests)\/[^` ]*)`/) {
            #expect(PackageFiles.exists(String(match.1)), "\(path) names \(match.1)")
        }
        let makefile = try PackageFiles.text("Makefile")
        for match in text.matches(of: /(?:`|\n)make ([a-z-]+)/) {
            let isTarget = makefile.contains("\n\(match.1):")
            #expect(isTarget, "\(path) names `make \(match.1)`")
        }
    }

    @Test("name the version that the sources have")
    func version() throws {
        let source = try PackageFiles.text("Sources/Kit/ReachabilityKit/PackageVersion.swift")
        let version = try #require(
            source.firstMatch(of: /\npackage let packageVersion = "([0-9]+\.[0-9]+\.[0-9]+)"\n/)?.1)
        let changes = try PackageFiles.text("CHANGELOG.md")
        #expect(changes.firstMatch(of: /\n## (.*)\n/)?.1 == version, "the latest version in CHANGELOG.md")
    }

    @Test("name types that the sources declare")
    func types() throws {
        var names: Set<String> = []
        for path in PackageFiles.paths(".swift", below: ["Sources", "Tests/Support"]) {
            let words = try PackageFiles.text(path).split { !($0.isLetter || $0.isNumber || $0 == "_") }
            for (word, next) in zip(words, words.dropFirst())
            where ["class", "enum", "struct", "protocol"].contains(word) {
                names.insert(String(next))
            }
        }
        // Targets and the folders of targets.
        let targets = Set(try PackageFiles.text("Package.swift").matches(of: /["\/](\w+)"/).map { String($0.1) })
        for match in try PackageFiles.text("Docs/Architecture.md").matches(of: /`([A-Z][A-Za-z]+)[.`]/) {
            let isThere = names.contains(String(match.1)) || targets.contains(String(match.1))
            #expect(isThere, "nothing is called \(match.1)")
        }
    }

    @Test("name each header of SystemConfiguration")
    func headers() throws {
        let headers = PackageFiles.paths(".h", below: ["Sources/Bindings/CSystemConfigurationHeaders"]).compactMap {
            $0.split(separator: "/").last
        }
        #expect(headers.count > 4)
        let text = try PackageFiles.text("Docs/Porting.md")
        for header in headers { #expect(text.contains("\(header)`"), "Docs/Porting.md does not name \(header)") }
    }

    /// The example in CONTRIBUTING.md.
    @Test("show how a test is written")
    func example() throws {
        let topology = try Machine.routed()
        let ref = try topology.run { try ReachabilityRef(address: "192.0.2.1") }
        #expect(try ref.getFlags() == .reachable)
    }
}
