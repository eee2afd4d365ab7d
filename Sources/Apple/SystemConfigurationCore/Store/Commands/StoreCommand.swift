// SPDX-License-Identifier: Apache-2.0

/// A command of `scutil`'s session (commands.c, configd-1405).
package enum StoreCommand: Hashable, Sendable {
    /// An empty line or a comment.
    case nothing
    case help
    case readFile(String)
    case quit
    /// Prints what `get` has returned.
    case emptyDictionary
    case showDictionary
    case open
    case close
    case list(pattern: String)
    case get(String)
    case show(String, isPattern: Bool)
    /// `add`, `set`, `remove` and `notify`, which are refused.
    case write
    case listWatched(patterns: Bool)
    case watch(String, isPattern: Bool)
    case unwatch(String, isPattern: Bool)
    case changes
    case startWatching
    case cancelWatching
    /// What is printed instead.
    case complaint(String)

    /// The name of each command, how many words may follow it, and what `help` says of it. They are sorted into groups.
    private static let table: [(group: Int, name: String, count: ClosedRange<Int>, help: String)] = [
        (0, "help", 0...0, "help                          : list available commands"),
        (0, "f.read", 1...1, "f.read file                   : process commands from file"),
        (0, "quit", 0...0, "quit                          : quit"),
        (1, "d.init", 0...0, "d.init                        : initialize (empty) dictionary"),
        (1, "d.show", 0...0, "d.show                        : show dictionary contents"),
        (2, "open", 0...1, "open [\"temporary\"]            : open a session"),
        (2, "close", 0...0, "close                         : close current session"),
        (3, "list", 0...2, "list [pattern]                : list keys in data store"),
        (3, "add", 1...2, "add key [\"temporary\"]         : add key in data store w/current dict"),
        (3, "get", 1...1, "get key                       : get dict from data store w/key"),
        (3, "set", 1...1, "set key                       : set key in data store w/current dict"),
        (3, "show", 1...2, "show key [\"pattern\"]          : show values in data store w/key"),
        (3, "remove", 1...1, "remove key                    : remove key from data store"),
        (3, "notify", 1...1, "notify key                    : notify key in data store"),
        (4, "n.list", 0...1, "n.list [\"pattern\"]            : list notification keys"),
        (4, "n.add", 1...2, "n.add key [\"pattern\"]         : add notification key"),
        (4, "n.remove", 1...2, "n.remove key [\"pattern\"]      : remove notification key"),
        (4, "n.changes", 0...0, "n.changes                     : list changed keys"),
        (4, "n.watch", 0...1, "n.watch                       : watch for changes"),
        (4, "n.cancel", 0...1, "n.cancel                      : cancel notification requests"),
    ]

    /// Commands of Apple's program that are not offered.
    private static let notOffered: Set<String> = [
        "lock", "unlock", "touch", "snapshot", "block", "n.wait", "n.callback", "n.signal", "n.file",
    ]

    /// What `help` prints.
    package static var helpText: String {
        var text = "\nAvailable commands:\n"
        var group = -1
        for entry in table {
            if entry.group != group { text += "\n" }
            group = entry.group
            text += " \(entry.help)\n"
        }
        return text
    }

    package init(_ line: String) {
        let words = CommandWords.split(line)
        guard let word = words.first, !word.hasPrefix("#") else {
            self = .nothing
            return
        }
        let name = ["q": "quit", "exit": "quit"][word.lowercased()] ?? word.lowercased()
        let arguments = Array(words.dropFirst())
        guard let entry = Self.table.first(where: { $0.name == name }) else {
            self = .complaint(
                Self.notOffered.contains(name)
                    ? "\(word): not offered on Linux" : "\(word): unknown, type \"help\" for command info")
            return
        }
        guard entry.count.contains(arguments.count) else {
            self = .complaint("\(word): too \(arguments.count < entry.count.lowerBound ? "few" : "many") arguments")
            return
        }
        self.init(name, arguments)
    }

    /// - Parameter arguments: as many as the table says.
    private init(_ name: String, _ arguments: [String]) {
        let first = arguments.first ?? ""
        // The word that follows may be any, as in Apple's program.
        let hasSecond = arguments.count > 1
        switch name {
        case "help": self = .help
        case "f.read": self = .readFile(first)
        case "quit": self = .quit
        case "d.init": self = .emptyDictionary
        case "d.show": self = .showDictionary
        case "open": self = .open
        case "close": self = .close
        case "list": self = .list(pattern: arguments.first ?? ".*")
        case "get": self = .get(first)
        case "show": self = .show(first, isPattern: hasSecond)
        case "add", "set", "remove", "notify": self = .write
        case "n.list": self = .listWatched(patterns: !arguments.isEmpty)
        case "n.add": self = .watch(first, isPattern: hasSecond)
        case "n.remove": self = .unwatch(first, isPattern: hasSecond)
        case "n.changes": self = .changes
        case "n.watch": self = .startWatching
        default: self = .cancelWatching
        }
    }
}

/// A line of `scutil`'s input as words (getString in scutil.c, configd-1405).
///
/// White space separates words. A word in double quotes may contain white space. A backslash before a quote or white space
/// makes it an ordinary character.
package enum CommandWords {
    package static func split(_ line: String) -> [String] {
        var words: [String] = []
        var rest = Array(line.utf8)[...]
        while let word = next(&rest) { words.append(String(decoding: word, as: UTF8.self)) }
        return words
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        rest = rest.drop(while: isSpace)
        guard let first = rest.first else { return nil }
        let isQuoted = first == UInt8(ascii: "\"")
        if isQuoted { rest.removeFirst() }
        var word: [UInt8] = []
        while let byte = rest.first {
            if isQuoted ? byte == UInt8(ascii: "\"") : isSpace(byte) { break }
            rest.removeFirst()
            if byte == UInt8(ascii: "\\"), let escaped = rest.first, escaped == UInt8(ascii: "\"") || isSpace(escaped) {
                rest.removeFirst()
                word.append(escaped)
            } else {
                word.append(byte)
            }
        }
        if isQuoted { rest = rest.dropFirst() }
        return word
    }

    /// isspace(3) in the C locale.
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
