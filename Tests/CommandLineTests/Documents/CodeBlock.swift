// SPDX-License-Identifier: Apache-2.0

import Testing

/// Lines of Swift from a source or a page.
struct Code {
    var imports: Set<String> = []
    /// Without the common indentation, comment lines, and empty lines at both ends.
    var lines: [String] = []

    init(_ text: some Collection<Substring>) {
        for line in text {
            if line.hasPrefix("import ") {
                imports.insert(String(line))
            } else if !line.drop(while: { $0 == " " }).hasPrefix("//") {
                lines.append(String(line))
            }
        }
        lines = Self.outdented(lines)
    }

    /// Whether the lines appear together in a source, with the imports they need.
    func stands(in source: Code) -> Bool {
        guard imports.isEmpty || imports == source.imports else { return false }
        return source.lines.indices.contains { start in
            start + lines.count <= source.lines.count
                && Self.outdented(Array(source.lines[start..<start + lines.count])) == lines
        }
    }

    private static func outdented(_ lines: [String]) -> [String] {
        let lines = lines.drop(while: \.isEmpty)
        let end = lines.lastIndex { !$0.isEmpty } ?? lines.startIndex - 1
        guard lines.startIndex <= end else { return [] }
        let text = lines[lines.startIndex...end]
        let common = text.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return text.map { String($0.dropFirst(common)) }
    }
}

/// A fenced block of Swift in a page or in a source's comments.
struct CodeBlock: CustomTestStringConvertible {
    let path: String
    let line: Int
    let code: Code

    var testDescription: String { "\(path):\(line)" }

    /// The blocks of a text. `mark` is the prefix of its lines, such as "///".
    static func all(in text: String, of path: String, behind mark: String = "") -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: (line: Int, lines: [Substring])?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let trimmed = line.drop { $0 == " " }
            guard mark.isEmpty || trimmed.hasPrefix(mark) else { continue }
            let content = mark.isEmpty ? line : trimmed.dropFirst(mark.count + 1)
            if let (start, lines) = open, content == "```" {
                blocks.append(CodeBlock(path: path, line: start, code: Code(lines)))
                open = nil
            } else if open != nil {
                open?.lines.append(content)
            } else if content == "```swift" {
                open = (number + 1, [])
            }
        }
        return blocks
    }
}
