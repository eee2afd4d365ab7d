// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import TestScenes

/// A scene of Tests/Scenes/changes.scenes as it is compared: two questions, and what happens after they are watched.
struct Scenario {
    let name: String
    /// The question about a host. The other is about the default path.
    let host: Question
    let setup: [Scene.Change]
    let change: [Scene.Change]
    /// Whether the host can be reached before and after, as the scene says.
    let course: Course
    /// How often the callbacks of the host and of the default path come at most. Changes close together may be told as one.
    let mostTold: (host: Int, network: Int)

    /// "TARGET [OPTION=VALUE]…" of a scene.
    struct Question {
        let text: String
        var target: String { String(text.prefix { $0 != " " }) }
        var options: [Substring] { text.split(separator: " ").dropFirst().map(\.self) }
    }

    static let file = Result { try SceneFile("changes.scenes") }
    /// The network with which every scenario begins: default routes of both families by the first of two Ethernet links.
    static var office: [Scene.Change] { get throws { try file.get().beginning.compactMap(\.command.change) } }
    /// A host that only the default routes cover.
    static let farHost = "192.0.2.1"
    /// Deletes the default routes of both families.
    static let withoutDefault: [Scene.Change] = [.ip("route del default"), .ip("-6 route del default")]

    init(_ scene: Scene) {
        name = scene.name
        var host: (question: String, before: Answer, now: Answer)?
        var (setup, change): ([Scene.Change], [Scene.Change]) = ([], [])
        var states: [String: Answer] = [:]
        var most: [String: Int] = [:]
        for line in scene.lines {
            switch line.command {
            case .change(let made): if states.isEmpty { setup.append(made) } else { change.append(made) }
            case .watch(let question, let answer):
                states[question] = answer
                if host == nil { host = (question, answer, answer) }
            case .told(let question, let answer), .may(let question, let answer), .now(let question, let answer):
                let isPossible = if case .may = line.command { true } else { false }
                if isPossible || answer.isNews(after: states[question]!, to: [.flags, .interface]) {
                    most[question, default: 0] += 1
                }
                states[question] = answer
                if question == host?.question { host?.now = answer }
            case .ask, .toldNothing, .sleep, .wake: break
            }
        }
        guard let host else { fatalError("\(name): no host") }
        self.host = Question(text: host.question)
        (self.setup, self.change) = (setup, change)
        course = Course(before: host.before.isReachable, after: host.now.isReachable)
        mostTold = (most[host.question] ?? 0, most["default"] ?? 0)
    }
}

extension Answer {
    var isReachable: Bool { fields[.reachable] == "yes" }
}

extension Scene.Command {
    fileprivate var change: Scene.Change? {
        if case .change(let change) = self { change } else { nil }
    }
}
