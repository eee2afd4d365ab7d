// SPDX-License-Identifier: Apache-2.0

import CReachabilityLinux
import ReachabilityKit
import ReachabilityLinuxSystem

/// Where targets on the command line come from.
enum TargetSource: Equatable, Sendable {
    case word(String)
    /// The path of a list; `-` is standard input.
    case list(String)
}

/// Lists of targets: one on a line. Empty lines and what follows `#` do not count.
enum TargetList {
    /// Reads the targets of a list.
    static func targets(in text: String) -> [(line: Int, target: String)] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated().compactMap {
            position, line in
            let target = line.prefix { $0 != "#" }.trimmingSpaces
            return target.isEmpty ? nil : (position + 1, target)
        }
    }

    /// More is no list of targets.
    private static let limit = 16 << 20

    /// The targets of all sources, in order, or what is wrong with them: a sentence for each mistake, which names the file
    /// and the line.
    static func expand(_ sources: [TargetSource], for verb: Verb) -> (words: [TargetWord], complaints: [String]) {
        var words: [TargetWord] = []
        var complaints: [String] = []
        var known: Set<String> = []
        func add(_ text: String, _ place: String) {
            do throws(ReachabilityError) {
                words.append(try TargetWord(text, for: verb))
            } catch {
                let complaint = place + error.description
                if known.insert(complaint).inserted { complaints.append(complaint) }
            }
        }
        for source in sources {
            switch source {
            case .word(let text): add(text, "")
            case .list(let path):
                let name = path == "-" ? "standard input" : path
                do throws(Errno) {
                    // Standard input may be a socket, which the path /dev/stdin could not open.
                    let bytes =
                        path == "-"
                        ? try Files.contents(of: OwnedDescriptor(.open) { clinux_duplicate(0) }, limit: limit)
                        : try Files.contents(of: path, limit: limit)
                    let found = targets(in: String(decoding: bytes, as: UTF8.self))
                    if found.isEmpty { complaints.append("there is no target in '\(name)'") }
                    for (line, target) in found { add(target, "\(name):\(line): ") }
                } catch {
                    let error =
                        switch error {
                        case .fileTooLarge: "it has more than 16 MiB"
                        case .notAFile:
                            "it is no file; pass one, or redirect a pipe to standard input, with `--file -`"
                        default: "\(error)"
                        }
                    complaints.append("cannot read the targets in '\(name)': \(error)")
                }
            }
        }
        return (words, complaints)
    }
}
