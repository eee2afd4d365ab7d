// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import TestTopology

/// The machine and the versions of a run.
struct Computer {
    let date: String
    let kernel: String
    let processor: String
    let processors: Int
    let iproute: String

    init() throws {
        func output(_ words: String...) throws -> String {
            String(try CallingThread.execute(words).split(separator: "\n").first ?? "")
        }
        date = try output("date", "+%Y-%m-%d")
        kernel = try output("uname", "-r")
        iproute = try output("ip", "-V").split(separator: "-").last.map { String($0.split(separator: ",")[0]) } ?? "?"
        let models = try Files.contents(of: "/proc/cpuinfo")
        processor =
            String(decoding: models, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("model name") }?.split(separator: ":").last.map { String($0.dropFirst()) }
            ?? "unknown"
        processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    }

    /// The load average of the last minute.
    static func load() throws -> String {
        String(decoding: try Files.contents(of: "/proc/loadavg"), as: UTF8.self).split(separator: " ").first.map(
            String.init)
            ?? "?"
    }
}
