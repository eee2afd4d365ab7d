// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestTopology
import Testing

/// A network, questions about it, changes, and who is told what. Read from Tests/Scenes, whose README describes the lines.
struct Scene: CustomTestStringConvertible, Sendable {
    let name: String
    var needs: [Need] = []
    var lines: [Line] = []

    var testDescription: String { name }

    /// A line, with its place for messages.
    struct Line: Sendable, CustomStringConvertible {
        let place: String
        let text: String
        let command: Command

        var description: String { "\(place) `\(text)`" }
    }

    enum Command: Sendable {
        case wire(String, addresses: [String])
        case tun(String, address: String)
        case ip(String)
        case set(String, Int)
        case ask(String, Answer)
        case watch(String, Answer)
        case told(String, Answer)
        case now(String, Answer)
        case toldNothing
    }
}

/// What a question is answered, or a face told: flags, code, interface and so on, by their names.
struct Answer: Sendable {
    var fields: [Field: String] = [:]

    /// The fields that are in both and differ, of those that count.
    func differences(from other: Answer, in counted: Set<Field>) -> Set<Field> {
        counted.filter { fields[$0] != nil && other.fields[$0] != nil && fields[$0] != other.fields[$0] }
    }

    var isReachable: Bool { fields[.flags] != "0" }

    func text(of shown: Set<Field>) -> String {
        let known = Field.allCases.filter { shown.contains($0) && fields[$0] != nil }
        return known.map { "\($0)=\(fields[$0]!)" }.joined(separator: " ")
    }
}

enum Field: String, CaseIterable, Sendable {
    case flags, status, code, interface, gateway, source
    /// All interfaces that packets can leave by, the most preferred first.
    case interfaces
}

// MARK: - Reading

extension Scene {
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    /// The scenes of a file.
    static func read(_ path: String) throws -> [Scene] {
        let file = path.split(separator: "/").last ?? ""
        let text = String(decoding: try Files.contents(of: path), as: UTF8.self)
        var scenes: [Scene] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let place = "\(file):\(index + 1)"
            guard let verb = line.split(separator: " ").first, !verb.hasPrefix("#") else { continue }
            let rest = String(line.dropFirst(verb.count + 1))
            if verb == "scene" {
                scenes.append(Scene(name: rest))
            } else if scenes.isEmpty {
                throw Mistake(description: "\(place): a line before the first scene")
            } else if verb == "needs" {
                scenes[scenes.count - 1].needs += try rest.split(separator: " ").map { try Need($0, place) }
            } else {
                let line = Line(place: place, text: String(line), command: try command(verb, rest, place))
                scenes[scenes.count - 1].lines.append(line)
            }
        }
        for scene in scenes { try scene.checkOrder() }
        return scenes
    }

    private static func command(_ verb: Substring, _ rest: String, _ place: String) throws -> Command {
        let words = rest.split(separator: " ").map(String.init)
        func answered(_ make: (String, Answer) -> Command) throws -> Command {
            let sides = rest.split(separator: " -> ").map(String.init)
            guard sides.count == 2 else { throw Mistake(description: "\(place): no answer after ' -> '") }
            return make(sides[0], try Answer(words: sides[1], place))
        }
        switch verb {
        case "wire" where words.count >= 1: return .wire(words[0], addresses: Array(words.dropFirst()))
        case "tun" where words.count == 2: return .tun(words[0], address: words[1])
        case "ip": return .ip(rest)
        case "set" where words.count == 2 && Int(words[1]) != nil: return .set(words[0], Int(words[1])!)
        case "ask": return try answered(Command.ask)
        case "watch": return try answered(Command.watch)
        case "told" where rest == "nothing": return .toldNothing
        case "told": return try answered(Command.told)
        case "now": return try answered(Command.now)
        default: throw Mistake(description: "\(place): no such line: \(verb) \(rest)")
        }
    }

    /// Once something is watched, a scene says after its changes what is told, so that none is forgotten.
    private func checkOrder() throws {
        var (isWatching, isChanged) = (false, false)
        for line in lines {
            switch line.command {
            case .wire, .tun, .ip, .set: isChanged = isWatching
            case .told, .now, .toldNothing: isChanged = false
            case .ask, .watch:
                if isChanged { throw Mistake(description: "\(line.place): not said what the change before tells") }
                if case .watch = line.command { isWatching = true }
            }
        }
        if isChanged { throw Mistake(description: "\(name): not said what the last change tells") }
    }
}

extension Answer {
    /// The bits of SCNetworkReachabilityFlags, in words.
    private static let bits: [Substring: UInt32] = [
        "unreachable": 0, "transient": 1 << 0, "reachable": 1 << 1, "required": 1 << 2, "traffic": 1 << 3,
        "local": 1 << 16, "direct": 1 << 17, "wwan": 1 << 18,
    ]

    /// "FLAGS CODE [FIELD=VALUE]…" of a scene.
    init(words text: String, _ place: String) throws {
        let words = text.split(separator: " ")
        guard words.count >= 2 else { throw Scene.Mistake(description: "\(place): an answer is FLAGS CODE …") }
        var flags: UInt32 = 0
        for word in words[0].split(separator: ",") {
            guard let bit = Self.bits[word] else { throw Scene.Mistake(description: "\(place): no flag \(word)") }
            flags |= bit
        }
        self.init(pairs: words.dropFirst(2))
        guard fields.count == words.count - 2 else { throw Scene.Mistake(description: "\(place): not FIELD=VALUE") }
        fields[.flags] = "\(flags)"
        fields[.code] = String(words[1])
        // A path says no more of the flags.
        fields[.status] =
            flags & 1 << 2 != 0 ? "requiresConnection" : flags & 1 << 1 != 0 ? "satisfied" : "unsatisfied"
    }

    /// "FIELD=VALUE …" of a driver.
    init(pairs: some Sequence<Substring>) {
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let field = Field(rawValue: String(parts[0])) else { continue }
            fields[field] = String(parts[1])
        }
    }
}
