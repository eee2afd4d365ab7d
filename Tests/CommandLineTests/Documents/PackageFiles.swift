// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The files of the package.
enum PackageFiles {
    static let root = URL(fileURLWithPath: #filePath.components(separatedBy: "/Tests/CommandLineTests/")[0])

    static func path(_ path: String) -> String { root.appending(path: path).path }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: self.path(path))
    }

    /// The paths of all files in some folders whose names have this suffix.
    static func paths(_ ending: String, below folders: [String]) -> [String] {
        folders.flatMap { folder in
            let names = FileManager.default.enumerator(atPath: path(folder))
            return (names?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
        }.filter { $0.hasSuffix(ending) }.sorted()
    }

    /// The pages of the package.
    static let pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] + paths(".md", below: ["Docs"])
}
