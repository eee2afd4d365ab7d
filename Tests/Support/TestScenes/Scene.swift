// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
package import ReachabilityNetlink
package import TestTopology

/// A network, questions about it, changes, and who is told what. Read from Tests/Scenes, whose README describes the lines.
package struct Scene: Sendable {
    package let name: String
    package var needs: [Need] = []
    /// Whether the programs are refused netlink sockets.
    package var isRefused = false
    package var lines: [Line] = []
    /// Whether it adds a policy rule. Without one the host is a plain one, whose local and main tables are one (see `Fence`).
    package var hasRules: Bool {
        lines.contains { line in
            guard case .change(.ip(let command)) = line.command else { return false }
            return command.split(separator: " ").contains("rule")
        }
    }

    /// A line, with its place for messages.
    package struct Line: Sendable, CustomStringConvertible {
        package let place: String
        package let text: String
        package let command: Command

        package var description: String { "\(place) `\(text)`" }
    }

    package enum Command: Sendable {
        case change(Change)
        case ask(String, Answer)
        case watch(String, Answer)
        case told(String, Answer)
        case may(String, Answer)
        case now(String, Answer)
        case toldNothing
        /// Stops the programs, and has them go on.
        case sleep, wake
    }

    /// What `Stage` does to a network.
    package enum Change: Sendable {
        case wire(String, addresses: [String])
        case tun(String, TunDevice.Kind, address: String?)
        case carrier(String, Bool)
        case ip(String)
        case set(String, Int)
        case wait(String, LinkFacts.OperationalState)
    }

    package struct Mistake: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }
}

/// A file of scenes.
package struct SceneFile {
    /// The lines before the first scene, with which each of its scenes begins.
    package private(set) var beginning: [Scene.Line] = []
    package private(set) var scenes: [Scene] = []

    /// Where the files are; SCENES names another folder, as in the lab.
    package static let folder =
        unsafe getenv("SCENES").map { unsafe String(cString: $0) }
        ?? #filePath.prefix(upTo: #filePath.firstRange(of: "/Support/")!.lowerBound) + "/Scenes"

    package init(_ file: String) throws {
        let text = String(decoding: try Files.contents(of: "\(Self.folder)/\(file)"), as: UTF8.self)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let place = "\(file):\(index + 1)"
            guard let verb = line.split(separator: " ").first, !verb.hasPrefix("#") else { continue }
            let rest = String(line.dropFirst(verb.count + 1))
            switch verb {
            case "scene": scenes.append(Scene(name: rest, lines: beginning))
            case "needs" where !scenes.isEmpty:
                scenes[scenes.count - 1].needs += try rest.split(separator: " ").map { try Need($0, place) }
            case "refused" where !scenes.isEmpty: scenes[scenes.count - 1].isRefused = true
            default:
                let lines = try Scene.Command.all(verb, rest, place).map {
                    Scene.Line(place: place, text: String(line), command: $0)
                }
                if scenes.isEmpty { beginning += lines } else { scenes[scenes.count - 1].lines += lines }
            }
        }
        for scene in scenes { try scene.checkOrder() }
    }
}

extension Scene.Command {
    /// A line with several questions stands for one line for each.
    fileprivate static func all(_ verb: Substring, _ rest: String, _ place: String) throws -> [Scene.Command] {
        let make: (String, Answer) -> Scene.Command
        switch verb {
        case "told" where rest == "nothing": return [.toldNothing]
        case "sleep": return [.sleep]
        case "wake": return [.wake]
        case "ask": make = Self.ask
        case "watch": make = Self.watch
        case "told": make = Self.told
        case "may": make = Self.may
        case "now": make = Self.now
        default: return [.change(try Scene.Change(verb, rest, place))]
        }
        let sides = rest.split(separator: " -> ").map(String.init)
        guard sides.count == 2 else { throw Scene.Mistake(description: "\(place): no answer after ' -> '") }
        let answer = try Answer(words: sides[1], place)
        return sides[0].split(separator: " | ").map { make(String($0), answer) }
    }
}

extension Scene.Change {
    private static let tunnels: [Substring: TunDevice.Kind] = [
        "tun": .tunnel, "ppp": .ppp, "modem": .rawIP, "tap": .frames,
    ]

    fileprivate init(_ verb: Substring, _ rest: String, _ place: String) throws {
        let words = rest.split(separator: " ").map(String.init)
        switch verb {
        case "wire" where words.count >= 1: self = .wire(words[0], addresses: Array(words.dropFirst()))
        case "ip": self = .ip(rest)
        case "set" where words.count == 2 && Int(words[1]) != nil: self = .set(words[0], Int(words[1])!)
        case "plug" where words.count == 1: self = .carrier(words[0], true)
        case "unplug" where words.count == 1: self = .carrier(words[0], false)
        default:
            let state = LinkFacts.OperationalState.allCases.first { "\($0)" == words.last }
            if let kind = Self.tunnels[verb], 1...2 ~= words.count {
                self = .tun(words[0], kind, address: words.dropFirst().first)
            } else if verb == "wait", words.count == 2, let state {
                self = .wait(words[0], state)
            } else {
                throw Scene.Mistake(description: "\(place): no such line: \(verb) \(rest)")
            }
        }
    }
}

extension Scene {
    /// Once something is watched, a scene says after its changes what is told, so that none is forgotten.
    fileprivate func checkOrder() throws {
        var (isWatching, isChanged) = (false, false)
        for line in lines {
            switch line.command {
            case .change: isChanged = isWatching
            case .sleep, .wake: break
            case .told, .may, .now, .toldNothing: isChanged = false
            case .ask, .watch:
                if isChanged { throw Mistake(description: "\(line.place): not said what the change before tells") }
                if case .watch = line.command { isWatching = true }
            }
        }
        if isChanged { throw Mistake(description: "\(name): not said what the last change tells") }
    }
}
