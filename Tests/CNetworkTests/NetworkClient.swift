// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestHosts
import TestTopology

/// A program in C that is built against the library and its headers, as a client's is, and run in a topology.
final class NetworkClient {
    let topology: Topology
    private let directory: String
    private var program: String { "\(directory)/client" }

    private static let package = #filePath.prefix(upTo: #filePath.firstRange(of: "/Tests/")!.lowerBound)
    private static let library = BuiltProduct.path("libCNetwork.so")

    /// The directory lib/swift of the toolchain whose libraries the tests use.
    private static let toolchain: String = {
        let maps = String(decoding: (try? Files.contents(of: "/proc/self/maps", limit: 8 << 20)) ?? [], as: UTF8.self)
        let line = maps.split(separator: "\n").first { $0.hasSuffix("/linux/libdispatch.so") } ?? ""
        return String(line.drop { $0 != "/" }.dropLast("/linux/libdispatch.so".count))
    }()

    /// That of the toolchain, with blocks.
    static let clang = "\(toolchain)/../../bin/clang -fblocks -std=gnu17"
    static let clangForCXX = "\(toolchain)/../../bin/clang++ -fblocks -x c++ -std=c++17"

    init() throws {
        topology = try Topology(sysfs: true)
        // Without name servers.
        _ = try topology.run { () throws(TopologyError) in
            try CallingThread.execute(["mount", "-t", "tmpfs", "tmpfs", "/etc"])
        }
        var template = Array("/tmp/network-client-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        _ = try? CallingThread.execute(["rm", "-rf", directory])
    }

    /// - Parameter isStripped: whether to link a library without debugging information, which valgrind cannot read.
    func build(
        _ source: String, _ compiler: String, in folder: String = "Tests/Fixtures/C", isStripped: Bool = false
    ) throws {
        if isStripped {
            _ = try CallingThread.execute(["strip", "-g", "-o", "\(directory)/libCNetwork.so", Self.library])
        }
        let (swift, products) = (
            Self.toolchain, isStripped ? directory : String(Self.library.dropLast("/libCNetwork.so".count))
        )
        let words =
            "\(compiler) -Wall -Wextra -Werror -I\(Self.package)/Sources/CNetworkHeaders/include -isystem \(swift) "
            + "\(Self.package)/\(folder)/\(source) -L\(products) -Wl,-rpath,\(products) -lCNetwork "
            + "-L\(swift)/linux -ldispatch -lBlocksRuntime -Wl,-rpath,\(swift)/linux -o \(program)"
        _ = try CallingThread.execute(words.split(separator: " ").map(String.init))
    }

    /// Runs the program to its end, and returns its output. Fails if it ends with another status than 0.
    func run(_ arguments: String..., under tool: [String] = []) throws -> String {
        let words = tool + [program] + arguments
        return try topology.run { () throws(TopologyError) in try CallingThread.execute(words) }
    }

    static let valgrind = [
        "valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
        "--show-leak-kinds=definite", "--suppressions=\(package)/Tests/Fixtures/C/valgrind.supp",
    ]

    /// Runs the program beside the test.
    func start(_ arguments: String...) throws -> ChildProcess {
        try topology.run { try ChildProcess(program, arguments) }
    }
}
