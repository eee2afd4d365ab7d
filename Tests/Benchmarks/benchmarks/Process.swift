// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

/// The voluntary context switches of a thread of this process (proc_pid_status(5)).
func contextSwitches(ofThread name: String) throws -> Int {
    var total: Int?
    for thread in threads where thread.name == name {
        guard let count = number(after: "voluntary_ctxt_switches:", in: "/proc/self/task/\(thread.id)/status") else {
            continue
        }
        total = (total ?? 0) + count
    }
    guard let total else { throw MeasuringFailure("no thread is called \(name)") }
    return total
}

/// The anonymous memory of this process, in bytes.
func residentMemory() -> Double {
    Double(number(after: "RssAnon:", in: "/proc/self/status") ?? 0) * 1024
}

private var threads: [(id: String, name: String)] {
    taskNumbers.compactMap { id in
        lines(of: "/proc/self/task/\(id)/comm").first.map { (id, $0) }
    }
}

private var taskNumbers: [String] {
    guard let directory = unsafe opendir("/proc/self/task") else { return [] }
    defer { unsafe closedir(directory) }
    var numbers: [String] = []
    while let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if Int(name) != nil { numbers.append(name) }
    }
    return numbers
}

private func number(after label: String, in path: String) -> Int? {
    lines(of: path).first { $0.hasPrefix(label) }
        .flatMap { line in Int(line.dropFirst(label.count).filter(\.isNumber)) }
}

private func lines(of path: String) -> [String] {
    guard let bytes = try? Files.contents(of: path) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
}
