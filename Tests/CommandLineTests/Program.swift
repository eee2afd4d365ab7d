// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import TestTopology
import Testing

@_implementationOnly import CTestTopology

/// Runs the program under test in a topology.
struct Program {
    struct Outcome {
        var status: Int32
        var output: String
        var complaints: String

        var lines: [Substring] { output.split(separator: "\n") }
    }

    static let path = BuiltProduct.path("reachability")

    let topology: Topology

    /// Runs the program. `before` and `after` are shell text around it, such as a limit and a redirection.
    func callAsFunction(_ arguments: String..., before: String = "", after: String = "") throws -> Outcome {
        try run(arguments, before: before, after: after)
    }

    func run(_ arguments: [String], before: String = "", after: String = "") throws -> Outcome {
        try topology.run {
            let words =
                before.isEmpty && after.isEmpty
                ? [Self.path] + arguments
                : ["sh", "-c", "\(before) exec \"$0\" \"$@\" \(after)", Self.path] + arguments
            var output: Int32 = -1
            var complaints: Int32 = -1
            var pointers = unsafe words.map { unsafe strdup($0) }
            unsafe pointers.append(nil)
            defer { unsafe pointers.forEach { unsafe free($0) } }
            let status = unsafe topology_run(pointers, "", 0, &output, &complaints)
            try #require(status >= 0)
            return Outcome(status: status, output: Self.take(output), complaints: Self.take(complaints))
        }
    }

    private static func take(_ descriptor: Int32) -> String {
        let owned = OwnedDescriptor(owning: descriptor)
        let bytes = (try? Files.contents(of: "/proc/self/fd/\(owned.rawValue)", limit: 8 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }
}
