// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestHosts

/// A folder, for files of metrics or others, which goes with this object.
final class MetricsFolder {
    /// The folder as this process sees it, and as the program under test does.
    let folder: String
    private let seenFolder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        seenFolder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    /// The root of another process, in which something else is mounted on the folder.
    init(_ other: MetricsFolder, seenBy process: pid_t) {
        folder = "/proc/\(process)/root\(other.folder)"
        seenFolder = ""
    }

    deinit {
        if !seenFolder.isEmpty { try? FileManager.default.removeItem(atPath: seenFolder) }
    }

    var path: String { "\(folder)/reachability.prom" }

    /// Nil if the file is not there.
    var text: String? { try? String(contentsOfFile: path, encoding: .utf8) }

    /// The samples of the file: the value of each name with its labels.
    var samples: [String: String] { Self.samples(text ?? "") }

    static func samples(_ text: String) -> [String: String] {
        var samples: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { continue }
            samples[String(line[..<space])] = String(line[line.index(after: space)...])
        }
        return samples
    }

    /// Waits until the file has a sample with this value.
    func wait(for sample: String, _ value: String) throws {
        try ProcessState.wait("\(sample) is \(value)") { samples[sample] == value }
    }

    /// Everything in the folder but the lock.
    var names: [String] { allNames.filter { $0 != ".reachability.prom.lock" } }
    var allNames: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }
}
