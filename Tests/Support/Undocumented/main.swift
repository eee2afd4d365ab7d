// SPDX-License-Identifier: Apache-2.0

// undocumented SYMBOL-GRAPH...: lists the public symbols that have no documentation comment, and fails if there are any.

import Foundation

struct SymbolGraph: Decodable {
    let symbols: [Symbol]
}

struct Symbol: Decodable {
    let kind: Kind
    let pathComponents: [String]
    let docComment: Comment?
    /// Where it is declared; what the compiler adds by itself, such as an enumeration's `init(rawValue:)`, is nowhere.
    let location: Location?

    struct Kind: Decodable {
        let identifier: String
    }

    struct Comment: Decodable {
        let lines: [Line]
    }

    struct Line: Decodable {
        let text: String
    }

    struct Location: Decodable {
        let uri: String
        let position: Position
    }

    struct Position: Decodable {
        let line: Int
    }

    var isDocumented: Bool { docComment?.lines.contains { !$0.text.isEmpty } ?? false }
}

var declared = 0
var undocumented = 0
for path in CommandLine.arguments.dropFirst() {
    let graph = try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    for symbol in graph.symbols {
        // An extension is no declaration; its members are.
        guard let location = symbol.location, symbol.kind.identifier != "swift.extension" else { continue }
        declared += 1
        if symbol.isDocumented { continue }
        undocumented += 1
        // Lines are counted from 0 there, and from 1 everywhere else.
        print(
            "\(location.uri.replacing("file://", with: "")):\(location.position.line + 1): \(symbol.pathComponents.joined(separator: ".")): no comment"
        )
    }
}
print("\(declared) public symbols, \(undocumented) without a comment")
exit(declared > 0 && undocumented == 0 ? 0 : 1)
