// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityLinuxSystem
import TestTopology

/// The programs and libraries that are built together with the tests, in the same directory.
enum Built {
    static let directory = String(BuiltProduct.path("").dropLast())
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

/// A folder that goes with this object.
final class TemporaryFolder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
