// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// Finds what was built beside these tests.
package enum BuiltProduct {
    /// The folder of the modules (Scripts/products).
    package static var modules: String {
        let folder = path("Modules")
        return Files.isMissing(folder) ? path("") : folder
    }

    package static let folder = String(path("").dropLast())
    /// The folder of the package.
    package static let package = #filePath.prefix(upTo: #filePath.firstRange(of: "/Tests/")!.lowerBound)

    /// The path of an executable. It lies beside what runs the tests: a bundle, which is the running program itself or one of
    /// its words, or a program for each target.
    package static func path(_ name: String) -> String {
        let own = Files.linkTarget(of: "/proc/self/exe") ?? ""
        let bundle = ([own] + CommandLine.arguments).first { $0.hasSuffix(".xctest") } ?? own
        let folders = bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return folders.joined(separator: "/") + "/" + name
    }
}

/// The compiler that has built these tests.
package enum Compiler {
    /// Checks a file against the modules of this package. Returns what the compiler complains about; nothing if it compiles.
    package static func complaints(about file: String, _ options: [String] = []) throws(MachineError) -> String {
        do throws(MachineError) {
            return try run(
                ["-typecheck", "-module-name", "Checked", "-diagnostic-style", "llvm", "-I", BuiltProduct.modules]
                    + options + [file])
        } catch {
            guard case .command(_, let complaints) = error.cause else { throw error }
            return complaints
        }
    }

    /// Makes a module of a file that has its name, in a folder.
    package static func makeModule(of file: String, in folder: String) throws(MachineError) {
        let name = String(file.split(separator: "/").last!.dropLast(".swift".count))
        _ = try run([
            "-parse-as-library", "-emit-module", "-module-name", name, "-o", "\(folder)/\(name).swiftmodule", file,
        ])
    }

    private static func run(_ words: [String]) throws(MachineError) -> String {
        let maps = (try? Files.contents(of: "/proc/self/maps", limit: 8 << 20)) ?? []
        let library = "/lib/swift/linux/libswiftCore.so"
        let line = String(decoding: maps, as: UTF8.self).split(separator: "\n").first { $0.hasSuffix(library) } ?? ""
        let compiler = line.drop { $0 != "/" }.dropLast(library.count) + "/bin/swiftc"
        return try CallingThread.execute([String(compiler)] + words)
    }
}
