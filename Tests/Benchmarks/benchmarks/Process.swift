// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// The anonymous memory of this process, in bytes (RssAnon in proc_pid_status(5)).
func residentMemory() -> Double {
    let bytes = (try? Files.contents(of: "/proc/self/status")) ?? []
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return Double(line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1024
}
