// SPDX-License-Identifier: Apache-2.0

import TestTopology
import Testing

/// A scene on its way: one network, in which every driver that can express some of the scene runs. So all faces are told of
/// the same changes.
final class Play {
    private let scene: Scene
    private let topology: Topology
    private let conversations: [any Conversation]
    private var tunnels: [TunDevice] = []
    /// What is watched, in order, and its present state.
    private var watched: [(question: String, state: Answer)] = []
    private var hasFailed = false

    /// Its changes mark the end of those before: when a face was told of them, it was told of everything before.
    private static let fence = "198.51.100.1"

    init(_ scene: Scene) throws {
        self.scene = scene
        topology = try Topology()
        // No other route and no rule of a scene concerns the fence. A rule without a priority comes before the second one, or
        // behind it if its priority is 0 (fib_default_rule_pref in net/core/fib_rules.c).
        try topology.ip("route add unreachable \(Self.fence)")
        try topology.ip("rule add to \(Self.fence) lookup main priority 0")
        let questions = scene.lines.compactMap { line in
            switch line.command {
            case .ask(let question, _), .watch(let question, _): question
            default: nil
            }
        }
        var conversations: [any Conversation] = []
        for driver in [Driver.kit, .c, .network] where questions.contains(where: driver.canAsk) {
            conversations.append(try ProgramConversation(driver, in: topology))
        }
        conversations.append(CommandConversation(in: topology, fence: Self.fence))
        self.conversations = conversations
    }

    func perform() throws {
        var index = 0
        while index < scene.lines.count, !hasFailed {
            let line = scene.lines[index]
            index += 1
            switch line.command {
            case .wire(let name, let addresses):
                try topology.wire(name)
                // Only now, so that the routes come in one step.
                for address in addresses {
                    try topology.ip("address add \(address) dev \(name)\(address.contains(":") ? " nodad" : "")")
                }
                try topology.waitForOwn(addresses)
            case .tun(let name, let address): tunnels.append(try topology.tun(name, address: address))
            case .ip(let command): try topology.ip(command)
            case .set(let setting, let value): try topology.set(setting, value)
            case .ask(let question, let answer): try ask(question, answer, line)
            case .watch(let question, let answer): try watch(question, answer, line)
            case .told, .now, .toldNothing:
                let more = scene.lines[index...].prefix { $0.command.isAboutTelling }
                index += more.count
                try checkTold([line] + more)
            }
        }
    }

    // MARK: Questions

    private func ask(_ question: String, _ answer: Answer, _ line: Scene.Line) throws {
        for conversation in conversations where conversation.driver.canAsk(question) {
            let got = try conversation.ask(question)
            let asked = conversation.driver.answers
            if !got.differences(from: answer, in: asked).isEmpty {
                fail(conversation.driver.name, line, "asked \(question)", answer.text(of: asked), got.text(of: asked))
            }
        }
    }

    private func fail(_ face: String, _ line: Scene.Line, _ what: String, _ expected: String, _ got: String) {
        hasFailed = true
        Issue.record("scene \"\(scene.name)\", face \(face), \(line): \(what): expected \(expected), got \(got)")
    }

    // MARK: Watching

    private func watch(_ question: String, _ answer: Answer, _ line: Scene.Line) throws {
        try ask(question, answer, line)
        for conversation in conversations {
            if watched.isEmpty { try conversation.watch(Self.fence) }
            if conversation.driver.canWatch(question) { try conversation.watch(question) }
        }
        watched.append((question, answer))
        try check([line]) { face, asked in asked == question && face.tellsFirst ? [answer] : [] }
    }

    /// Checks what a block of lines says about the changes before it.
    private func checkTold(_ lines: [Scene.Line]) throws {
        var steps: [String: [Answer]] = [:]
        var after = watched
        for line in lines {
            guard case let (question, answer, isTold)? = line.command.next else { continue }
            guard let index = after.firstIndex(where: { $0.question == question }) else {
                throw Scene.Mistake(description: "\(line.place): \(question) is not watched")
            }
            after[index].state = answer
            if isTold { steps[question, default: []].append(answer) }
        }
        let before = watched
        try check(lines) { face, question in
            guard var state = before.first(where: { $0.question == question })?.state else { return [] }
            return (steps[question] ?? []).filter { next in
                defer { state = next }
                return face.isTold(state, next)
            }
        }
        watched = after
        guard !hasFailed else { return }
        for (question, state) in watched { try ask(question, state, lines[lines.count - 1]) }
    }

    /// Checks that each face is told this and no more, before the fence.
    private func check(_ lines: [Scene.Line], _ tells: (Face, String) -> [Answer]) throws {
        for conversation in conversations {
            for (teller, questions) in tellers(conversation) {
                _ = try teller.read { tellings in
                    conversation.driver.faces.allSatisfy { face in
                        questions.allSatisfy { question in
                            tellings.count { $0.face == face.name && $0.question == question }
                                >= tells(face, question).count
                        }
                    }
                }
            }
        }
        try passFence()
        for conversation in conversations {
            for (teller, questions) in tellers(conversation) {
                defer { teller.tellings = [] }
                for face in conversation.driver.faces {
                    for question in questions {
                        let expected = tells(face, question)
                        let got = teller.tellings.filter { $0.face == face.name && $0.question == question }
                        compare(face, question, expected, got.map(\.answer), lines)
                    }
                }
            }
        }
    }

    private func compare(
        _ face: Face, _ question: String, _ expected: [Answer], _ got: [Answer], _ lines: [Scene.Line]
    ) {
        let isRight =
            expected.count == got.count
            && zip(expected, got).allSatisfy { $0.differences(from: $1, in: face.tells).isEmpty }
        guard !isRight else { return }
        func text(_ answers: [Answer]) -> String {
            answers.isEmpty ? "nothing" : answers.map { $0.text(of: face.tells) }.joined(separator: "; ")
        }
        fail(face.name, lines[0], "told of \(question)", text(expected), text(got))
    }

    /// The tellers of a driver, each with the questions that it watches.
    private func tellers(_ conversation: any Conversation) -> [(Teller, [String])] {
        let questions = watched.map(\.question).filter(conversation.driver.canWatch)
        guard conversation is CommandConversation else { return conversation.tellers.map { ($0, questions) } }
        return zip(conversation.tellers, questions).map { ($0, [$1]) }
    }

    /// Changes the fence twice. The second change is looked at after everything that was announced before the first is told.
    private func passFence() throws {
        for (route, flags) in [("replace \(Self.fence) dev lo", Self.own), ("replace unreachable \(Self.fence)", "0")] {
            try topology.ip("route \(route)")
            for conversation in conversations {
                for teller in conversation.tellers {
                    let isTold = try teller.read { tellings in
                        conversation.driver.faces.allSatisfy { face in
                            let last = tellings.last { $0.face == face.name && $0.question == Self.fence }
                            return last?.answer.fields[.flags] == flags
                        }
                    }
                    guard isTold else { throw Teller.Silence(description: "\(conversation.driver.name): no fence") }
                }
            }
        }
    }

    /// The flags of an address of this machine.
    private static let own = "\(1 << 1 | 1 << 16 | 1 << 17)"
}

extension Scene.Command {
    /// The next state of a question, and whether it is told.
    fileprivate var next: (String, Answer, Bool)? {
        switch self {
        case .told(let question, let answer): (question, answer, true)
        case .now(let question, let answer): (question, answer, false)
        default: nil
        }
    }

    fileprivate var isAboutTelling: Bool {
        if case .toldNothing = self { true } else { next != nil }
    }
}

extension Face {
    /// Whether it is told when the state becomes another. Where a target that cannot be reached would be, does not count.
    func isTold(_ state: Answer, _ next: Answer) -> Bool {
        let differences = next.differences(from: state, in: notices)
        return !differences.isDisjoint(with: [.flags, .status, .interfaces])
            || !differences.isEmpty && (state.isReachable || next.isReachable)
    }
}
