// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestTopology

/// A program in C or C++ that is built against the library and its header, as a client's is, and run in a topology.
final class CClient {
    let topology: Machine
    private let folder = TemporaryFolder()
    /// Where what is built for the test lies.
    var directory: String { folder.path }

    static let library = BuiltProduct.path("libCReachability.so")

    static let valgrind = [
        "valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
        "--show-leak-kinds=definite", "--suppressions=\(BuiltProduct.package)/Tests/Fixtures/C/valgrind.supp",
    ]

    init() throws {
        topology = try Machine()
    }

    /// - Parameters:
    ///   - sources: files of this package, with spaces between them.
    ///   - packages: the packages of pkg-config that the program needs beside the library.
    ///   - strippedLibrary: whether to link a library without debugging information, which valgrind cannot read.
    ///   - output: the name of the program. One that ends in ".so" is a module instead.
    func build(
        _ sources: String, _ compiler: String, packages: [String] = [], options more: String = "",
        strippedLibrary: Bool = false, output: String = "client"
    ) throws {
        if strippedLibrary {
            _ = try CallingThread.execute(["strip", "-g", "-o", "\(directory)/libCReachability.so", Self.library])
        }
        let folder = strippedLibrary ? directory : String(Self.library.dropLast("/libCReachability.so".count))
        let options =
            packages.isEmpty ? "" : try CallingThread.execute(["pkg-config", "--cflags", "--libs"] + packages)
        let files = sources.split(separator: " ").map {
            $0.hasPrefix("/") ? String($0) : "\(BuiltProduct.package)/\($0)"
        }
        .joined(separator: " ")
        let words =
            "\(try Self.sanitizing(compiler)) -Wall -Wextra -Werror "
            + "-I\(BuiltProduct.package)/Sources/Bindings/CReachabilityHeaders/include \(files) -L\(folder) -Wl,-rpath,\(folder) -lCReachability -o \(directory)/\(output) "
            + (output.hasSuffix(".so") ? "-shared -fPIC " : "") + "\(options) \(more)"
        _ = try CallingThread.execute(words.split { " \n".contains($0) }.map(String.init))
    }

    /// Under a sanitizer, a program can load the library only if the same compiler has built it with the same sanitizer.
    private static func sanitizing(_ compiler: String) throws -> String {
        guard Sanitizer.isOn else { return compiler }
        let find = "dirname \"$(readlink -f \"$(command -v swift)\")\""
        let folder = try CallingThread.execute(["sh", "-c", find]).filter { $0 != "\n" }
        let words = compiler.split(separator: " ")
        let name = words[0] == "g++" ? "clang++" : "clang"
        // The toolchain's Thread Sanitizer refers to its libdispatch and blocks.
        let libraries = "\(folder)/../lib/swift/linux"
        let options =
            Sanitizer.isThread
            ? ["-fsanitize=thread", "-L\(libraries)", "-Wl,-rpath,\(libraries)", "-ldispatch", "-lBlocksRuntime"]
            : ["-fsanitize=address"]
        return (["\(folder)/\(name)"] + options + words.dropFirst().map(String.init)).joined(separator: " ")
    }

    /// Runs the program to its end, and returns its output. Fails if it ends with another status than 0.
    func run(_ arguments: String..., under tool: [String] = []) throws -> String {
        try run(tool + ["\(directory)/client"] + arguments)
    }

    /// Runs any program.
    func run(_ words: [String]) throws -> String {
        try topology.run { () throws(MachineError) in try CallingThread.execute(words) }
    }
}
