// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityKit
import TestTopology
import Testing

@testable import CReachability

/// The header, what the library exports, the list of what programs rely on, and the manual pages agree.
@Suite("reachability.h")
struct HeaderTests {
    private static let header = "\(BuiltProduct.package)/Sources/Bindings/CReachabilityHeaders/include/reachability.h"

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: path.hasPrefix("/") ? path : "\(BuiltProduct.package)/\(path)", encoding: .utf8)
    }

    /// What Scripts/abi prints.
    private static func interface(header: String = header, library: String) throws -> [String] {
        try CallingThread.execute(["\(BuiltProduct.package)/Scripts/abi", header, library])
            .split(separator: "\n").map(String.init)
    }

    /// What programs rely on, as it was when Scripts/reachability.abi was written.
    private static func promised() throws -> [String] {
        try text("Scripts/reachability.abi").split(separator: "\n").map(String.init)
    }

    /// The functions of the promise: each name with its declaration.
    private static func functions() throws -> [(name: String, declaration: String)] {
        try promised().compactMap { line in
            guard let match = line.firstMatch(of: /^function (.*?(reachability_[a-z_]+)\(.*\))$/) else { return nil }
            return (String(match.2), String(match.1))
        }
    }

    @Test func `keeps what programs rely on`() throws {
        let present = try Self.interface(library: CClient.library)
        let promised = try Self.promised()
        let (missing, added) = (Set(promised).subtracting(present), Set(present).subtracting(promised))
        #expect(missing.isEmpty, "programs that use this would fail: give it back, or count up the soname")
        #expect(added.isEmpty, "add these lines to Scripts/reachability.abi, as Scripts/abi prints them")
        #expect(try Self.functions().count > 15)
        // A program fills every structure but the error, so it tells how much of it there is.
        let structures = Set(promised.compactMap { $0.firstMatch(of: /^struct ([a-z_]+):/)?.1 })
        for name in structures where name != "reachability_error" {
            #expect(promised.contains("struct \(name): 8 bytes at 0: size_t size"))
        }
    }

    /// The headers of all versions, each in a folder of its own, with the present one as the last.
    private static func versions() throws -> [String] {
        let folder = "\(BuiltProduct.package)/Tests/Fixtures/C/Versions"
        return try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)/reachability.h" } + [
            header
        ]
    }

    @Test(.needs(.namespaces)) func `works for a program that was built with the header of any version`() throws {
        let versions = try Self.versions()
        #expect(versions.count > 1)
        let client = try CClient()
        try client.topology.wire("eth0", address: "10.0.0.1/24")
        for version in versions {
            let folder = version.dropLast("/reachability.h".count)
            try client.build("Tests/Fixtures/C/versions.c", "gcc -std=c89 -pedantic -D_DEFAULT_SOURCE -I\(folder)")
            #expect(try client.run() == "ok\n", "\(version)")
        }
    }

    @Test func `keeps what each version had; a structure may grow at its end`() throws {
        let promised = try Set(Self.promised())
        for version in try Self.versions() {
            for line in try Self.interface(header: version, library: CClient.library) {
                guard let total = line.firstMatch(of: /^struct ([a-z_]+): ([0-9]+) bytes$/) else {
                    #expect(promised.contains(line), "\(version)")
                    continue
                }
                let present = promised.compactMap { $0.firstMatch(of: /^struct ([a-z_]+): ([0-9]+) bytes$/) }
                    .first { $0.1 == total.1 }
                #expect(try Int(#require(present).2)! >= Int(total.2)!, "\(version)")
            }
        }
    }

    @Test func `a function, a member or a number that is gone is noticed`() throws {
        let client = try CClient()
        let stub = "\(client.directory)/stub"
        let names = try Self.functions().map(\.name).filter { $0 != "reachability_watcher_remove" }
        try names.map { "void \($0)(void) {}\n" }.joined()
            .write(toFile: "\(stub).c", atomically: false, encoding: .utf8)
        _ = try CallingThread.execute(["cc", "-shared", "-fPIC", "-o", "\(stub).so", "\(stub).c"])
        let withoutFunction = try Self.interface(library: "\(stub).so")
        #expect(
            try Set(Self.promised()).subtracting(withoutFunction) == [
                "function int reachability_watcher_remove(reachability_watcher *watcher, uint64_t identifier)"
            ])

        for (old, new) in [
            ("    int has_dns;\n", ""), ("    size_t size;\n    int status;", "    int status;\n    size_t size;"),
            ("REACHABILITY_CLOSED = 5", "REACHABILITY_CLOSED = 8"), ("unsigned int *mark", "unsigned long *mark"),
            ("uint64_t *identifier", "unsigned int *identifier"),
        ] {
            let changed = try Self.text(Self.header).replacing(old, with: new)
            try #require(try changed != Self.text(Self.header))
            try changed.write(toFile: "\(client.directory)/reachability.h", atomically: false, encoding: .utf8)
            let present = try Self.interface(
                header: "\(client.directory)/reachability.h", library: CClient.library)
            #expect(try !Set(Self.promised()).subtracting(present).isEmpty, "\(old)")
        }
    }

    @Test func `the installed library exports these functions`() throws {
        let list = try Self.text("Scripts/reachability.exports").matches(of: /\n +(reachability_[a-z_]+);/)
        #expect(try list.map { String($0.1) } == Self.functions().map(\.name).sorted())
    }

    /// A program finds a library by its soname, so a new version of the package must not change it.
    @Test(arguments: ["reachability": "libreachability.so.1", "CSystemConfiguration": "libCSystemConfiguration.so.0"])
    func `a library's soname does not depend on the version of the package`(name: String, soname: String) throws {
        let script = "cd \(BuiltProduct.package); . Scripts/linking; version=7.0.0; describe \(name); echo $soname"
        #expect(try CallingThread.execute(["bash", "-euc", script]) == "\(soname)\n")
    }

    @Test func `describes each function and each number of its own`() throws {
        let lines = try Self.text(Self.header).split(separator: "\n", omittingEmptySubsequences: false)
        for (name, _) in try Self.functions() {
            let start = try #require(
                lines.firstIndex { !$0.hasPrefix(" ") && ($0.contains(" \(name)(") || $0.contains(" *\(name)(")) })
            #expect(lines[start - 1].hasSuffix("*/"), "\(name) has no comment")
        }
    }

    /// Swift 6.3 has attributes with which the compiler compares a function with its declaration in a header. Swift 6.2 has them
    /// only for headers of the same module.
    @Test(arguments: ["CReachability", "CSystemConfiguration"])
    func `declares each function with the type that it has`(module: String) throws {
        let bindings = "\(BuiltProduct.package)/Sources/Bindings"
        let sources = try CallingThread.execute(["sh", "-c", "cat \(bindings)/\(module)/*.swift"])
        let names = sources.matches(of: /@_cdecl\("((?:SC|reachability)\w+)"\)/).map(\.1)
        #expect(names.count > 15)
        let comparisons = names.map { "    expect(\(module).\($0), \(module)Headers.\($0))\n" }.joined()
        let client = try CClient()
        let file = "\(client.directory)/types.swift"
        try """
        import \(module)
        import \(module)Headers
        func expect<Function>(_ ours: Function, _ declared: Function) {}
        func compare() {
        \(comparisons)}
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let options = ["-Xcc", "-DSC_OPAQUE_HANDLES", "-I", "\(bindings)/\(module)Headers/include"]
        #expect(try Compiler.complaints(about: file, options) == "")
    }

    @Test(arguments: ["gcc", "clang"])
    func `each header of the package compiles alone in every standard, without a warning`(compiler: String) throws {
        let client = try CClient()
        let bindings = "\(BuiltProduct.package)/Sources/Bindings"
        let folders = ["CReachabilityHeaders", "CSystemConfigurationHeaders"].map { "\(bindings)/\($0)/include" }
        let headers = try folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".h") }
        }
        #expect(headers.count > 5)
        let sources = try headers.enumerated().map { number, header in
            let source = "\(client.directory)/\(number).c"
            try "#include <\(header)>\n".write(toFile: source, atomically: false, encoding: .utf8)
            return source
        }
        let options = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"] + folders.map { "-I\($0)" }
        for standard in ["c89", "c99", "c11", "c17", "c2x", "c++98", "c++03", "c++11", "c++14", "c++17", "c++20"] {
            let language = standard.hasPrefix("c++") ? "c++" : "c"
            _ = try CallingThread.execute([compiler, "-std=\(standard)", "-x", language] + options + sources)
        }
    }

    @Test func `is described by the manual pages`() throws {
        let folder = "\(BuiltProduct.package)/Docs/man"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".3") }
        let pages = try names.map { try Self.text("\(folder)/\($0)") }
        for (name, declaration) in try Self.functions() {
            let describing = pages.filter { $0.contains(".Nm \(name)\n") || $0.contains(".Nm \(name) ,\n") }
            #expect(describing.count == 1, "pages that name \(name)")
            let declarations = describing.map { Self.declaration(of: name, in: $0) }
            #expect(declarations == [declaration])
        }
        let whole = pages.joined()
        for line in try Self.promised() {
            let words = line.split(separator: " ")
            if words[0] == "constant" { #expect(whole.contains("Dv \(words[1])"), "\(words[1])") }
            if let member = line.firstMatch(of: /bytes at \d+: (.*)$/)?.1 {
                let name = member.firstMatch(of: /[a-z0-9_]+(\[[0-9]+\])?$/)!.output.0
                let isNamed = whole.contains(".It Va \(member)") || whole.contains(" , \(name)")
                #expect(isNamed || whole.contains("    \(member);\n"), "\(member)")
            }
        }
    }

    @Test func `the program of the manual page says why, and follows changes`() throws {
        let page = try Self.text("Docs/man/reachability.3")
        let program = try #require(page.firstMatch(of: /\.Bd -literal\n(#include[^\0]*?)\.Ed\n/)?.1)
        let client = try CClient()
        try program.replacing("\\e", with: "\\").write(
            toFile: "\(client.directory)/page.c", atomically: false, encoding: .utf8)
        try client.build("\(client.directory)/page.c", "gcc -std=c89 -pedantic -D_DEFAULT_SOURCE")
        let script = """
            mkfifo "$1/pipe"; "$1/client" 127.0.0.1 > "$1/pipe" & { read -r why; read -r flags; } < "$1/pipe"
            kill $!; echo "$why; $flags"
            """
        let output = try client.run(["sh", "-c", script, "sh", client.directory])
        #expect(
            output
                == "the address is this machine's own; 127.0.0.1: Reachable,Local Address,Directly Reachable Address\n")
    }

    @Test func `the numbers of reasons are those of the codes`() throws {
        let promised = try Self.promised()
        for (position, code) in reasonCodes.enumerated() {
            #expect(promised.contains("constant REACHABILITY_REASON_\(code.uppercased()) \(position + 1)"), "\(code)")
        }
        #expect(Set(reasonCodes) == Set(Reason.allCodes))
        let python = try Self.text("Sources/Bindings/Python/reachability/_values.py")
        let members = promised.compactMap { $0.firstMatch(of: /^constant REACHABILITY_REASON_(\w+) (\d+)$/) }
        #expect(members.count == reasonCodes.count + 1)
        for member in members { #expect(python.contains("\n    \(member.1) = \(member.2)\n"), "\(member.1)") }
    }

    /// A function's declaration in C, from the macros of a page.
    private static func declaration(of function: String, in page: String) -> String {
        let lines = page.split(separator: "\n")
        guard let start = lines.firstIndex(where: { $0 == ".Fo \(function)" || $0.hasPrefix(".Fn \(function) ") })
        else {
            return "none"
        }
        let result = lines[start - 1].dropFirst(".Ft ".count)
        let arguments: [String] =
            if lines[start].hasPrefix(".Fn") {
                [String(lines[start].dropFirst(".Fn \(function) ".count))]
            } else {
                lines[(start + 1)...].prefix { $0.hasPrefix(".Fa ") }.map { String($0.dropFirst(5).dropLast()) }
            }
        return "\(result)\(result.hasSuffix("*") ? "" : " ")\(function)(\(arguments.joined(separator: ", ")))"
    }
}
