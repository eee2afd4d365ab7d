// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import TestTopology

/// The programs and libraries that are built together with the tests, in the same directory.
enum Built {
    static let directory: String = {
        let own = Files.linkTarget(of: "/proc/self/exe") ?? ""
        return String(own[..<(own.lastIndex(of: "/") ?? own.endIndex)])
    }()

    /// The directory of the package.
    static let package: String = #filePath.components(separatedBy: "/Tests/")[0]

    /// How a program ended.
    struct Outcome: Equatable {
        var status: Int32 = 0
        var output = ""
        var complaints = ""
    }

    /// Runs a program in a topology.
    static func run(_ words: [String], in topology: Topology) throws -> Outcome {
        try topology.run {
            do throws(TopologyError) {
                return Outcome(output: try CallingThread.execute(words))
            } catch {
                guard case .command(_, let status, let complaints) = error else { throw error }
                return Outcome(status: status, complaints: complaints)
            }
        }
    }
}
