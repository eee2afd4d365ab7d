// SPDX-License-Identifier: Apache-2.0

import TestScenes
import TestTopology
import Testing

/// A scene on its way: one network, in which every driver that can express some of the scene runs. So all faces are told of
/// the same changes.
final class Play {
    private let scene: Scene
    private let stage: Stage
    private let conversations: [any Conversation]
    /// What each question is made of.
    private let parts: [String: Set<Part>]
    /// What is watched, in order, and its present state.
    private var watched: [(question: String, state: Answer)] = []
    private var hasFailed = false

    init(_ scene: Scene) throws {
        self.scene = scene
        stage = try Stage()
        var parts: [String: Set<Part>] = [:]
        for line in scene.lines {
            switch line.command {
            case .ask(let question, let answer), .watch(let question, let answer), .told(let question, let answer):
                parts[question, default: scene.isRefused ? [.refusal] : []].formUnion(try Part.of(question, line.place))
                if answer.fields[.code] == "interface_missing" { parts[question]?.insert(.missingInterface) }
            default: break
            }
        }
        self.parts = parts
        let wrapper = scene.isRefused ? [BuiltProduct.path("deny-netlink"), "1"] : []
        let drivers = Driver.present.filter { driver in
            parts.values.contains { driver.cannotAsk.isDisjoint(with: $0) }
        }
        conversations = try drivers.map { [topology = stage.topology] driver -> any Conversation in
            guard driver == .commandLine else {
                return try ProgramConversation(driver, in: topology, under: wrapper)
            }
            return try CommandConversation(in: topology, under: wrapper)
        }
    }

    private func canAsk(_ driver: Driver, _ question: String) -> Bool {
        driver.cannotAsk.isDisjoint(with: parts[question] ?? [])
    }

    private func canWatch(_ driver: Driver, _ question: String) -> Bool {
        canAsk(driver, question) && driver.cannotWatch.isDisjoint(with: parts[question] ?? [])
    }

    func perform() throws {
        var index = 0
        while index < scene.lines.count, !hasFailed {
            let line = scene.lines[index]
            index += 1
            switch line.command {
            case .change(let change): try stage.make(change)
            case .sleep: for conversation in conversations { conversation.tellers.forEach { $0.stop() } }
            case .wake: for conversation in conversations { conversation.tellers.forEach { $0.goOn() } }
            case .ask(let question, let answer): try ask(question, answer, line)
            case .watch(let question, let answer): try watch(question, answer, line)
            case .told, .may, .now, .toldNothing:
                let more = scene.lines[index...].prefix { $0.command.isAboutTelling }
                index += more.count
                try checkTold([line] + more)
            }
        }
    }

    // MARK: Questions

    private func ask(_ question: String, _ answer: Answer, _ line: Scene.Line) throws {
        for conversation in conversations where canAsk(conversation.driver, question) {
            let (expected, asked) = (conversation.driver.answer(answer), conversation.driver.answers)
            let deadline = ContinuousClock.now + Teller.limit
            var got = try conversation.ask(question)
            // GLib's property is what its program was told last, so each question is one more turn of its main loop.
            while conversation.driver == .glib, question == "default", ContinuousClock.now < deadline,
                !got.differences(from: expected, in: asked).isEmpty
            { got = try conversation.ask(question) }
            if !got.differences(from: expected, in: asked).isEmpty {
                fail(conversation.driver.name, line, "asked \(question)", expected.text(of: asked), got.text(of: asked))
            }
        }
    }

    private func fail(_ face: String, _ line: Scene.Line, _ what: String, _ expected: String, _ got: String) {
        hasFailed = true
        let host = scene.hasRules ? "a host with rules" : "a plain host"
        Issue.record(
            "scene \"\(scene.name)\" of \(host), face \(face), \(line): \(what): expected \(expected), got \(got)")
    }

    // MARK: Watching

    private func watch(_ question: String, _ answer: Answer, _ line: Scene.Line) throws {
        try ask(question, answer, line)
        for conversation in conversations {
            if watched.isEmpty { try conversation.watch(Fence.address) }
            if canWatch(conversation.driver, question) { try conversation.watch(question) }
        }
        watched.append((question, answer))
        try check([line]) { face, asked in
            asked == question && face.tellsFirst ? [Expected(answer: answer, isCertain: true)] : []
        }
    }

    /// What a face is told, or, if it is not certain, may be told.
    private struct Expected {
        let answer: Answer
        let isCertain: Bool
    }

    /// Checks what a block of lines says about the changes before it.
    private func checkTold(_ lines: [Scene.Line]) throws {
        var after = watched
        var steps: [(question: String, next: Answer, telling: Scene.Command.Telling)] = []
        for line in lines {
            guard case let (question, answer, telling)? = line.command.next else { continue }
            guard let index = after.firstIndex(where: { $0.question == question }) else {
                throw Scene.Mistake(description: "\(line.place): \(question) is not watched")
            }
            steps.append((question, answer, telling))
            after[index].state = answer
        }
        let before = watched
        try check(lines) { face, question in
            // What it may know: more than one state after what it may have been told.
            var known = before.filter { $0.question == question }.map(\.state)
            return steps.filter { $0.question == question }.compactMap { step in
                let news = known.count { step.next.isNews(after: $0, to: face.notices) }
                let isCertain = step.telling == .certain && news == known.count
                known = step.telling == .possible ? known + [step.next] : [step.next]
                guard step.telling == .possible || step.telling == .certain && news > 0 else { return nil }
                return Expected(answer: step.next, isCertain: isCertain)
            }
        }
        watched = after
        guard !hasFailed else { return }
        for (question, state) in watched { try ask(question, state, lines[lines.count - 1]) }
    }

    /// Checks that each face is told this and no more, before the fence.
    private func check(_ lines: [Scene.Line], _ tells: (Face, String) -> [Expected]) throws {
        let deadline = ContinuousClock.now + Teller.limit
        for conversation in conversations {
            for (teller, questions) in tellers(conversation) {
                _ = try teller.read(until: deadline) { tellings in
                    conversation.driver.faces.allSatisfy { face in
                        questions.allSatisfy { question in
                            tellings.count { $0.face == face.name && $0.question == question }
                                >= tells(face, question).count(where: \.isCertain)
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
                        let got = teller.tellings.filter { $0.face == face.name && $0.question == question }
                        compare(face, question, tells(face, question), got.map(\.answer), lines)
                    }
                }
            }
        }
    }

    private func compare(
        _ face: Face, _ question: String, _ expected: [Expected], _ got: [Answer], _ lines: [Scene.Line]
    ) {
        var rest = got[...]
        let isRight = expected.allSatisfy { next in
            guard let told = rest.first, told.isTelling(of: next.answer, in: face.tells) else { return !next.isCertain }
            rest.removeFirst()
            return true
        }
        guard !isRight || !rest.isEmpty else { return }
        func text(_ answers: [Answer]) -> String {
            answers.isEmpty ? "nothing" : answers.map { $0.text(of: face.tells) }.joined(separator: "; ")
        }
        fail(face.name, lines[0], "told of \(question)", text(expected.map(\.answer)), text(got))
    }

    /// The tellers of a driver, each with the questions that it watches.
    private func tellers(_ conversation: any Conversation) -> [(Teller, [String])] {
        let questions = watched.map(\.question).filter { canWatch(conversation.driver, $0) }
        guard conversation is CommandConversation else { return conversation.tellers.map { ($0, questions) } }
        return zip(conversation.tellers, questions).map { ($0, [$1]) }
    }

    /// Changes the fence twice. The second change is looked at after everything that was announced before the first is told.
    private func passFence() throws {
        try Fence.pass(in: stage.topology) { isUp in
            let deadline = ContinuousClock.now + Teller.limit
            for conversation in conversations {
                for teller in conversation.tellers {
                    let isTold = try teller.read(until: deadline) { tellings in
                        conversation.driver.faces.allSatisfy { face in
                            let last = tellings.last { $0.face == face.name && $0.question == Fence.address }
                            return last?.answer.isUp == isUp
                        }
                    }
                    guard isTold else { throw Teller.Silence(description: "\(conversation.driver.name): no fence") }
                }
            }
        }
    }
}

extension Answer {
    /// Of the fence: without netlink, nobody knows that its address is this machine's.
    fileprivate var isUp: Bool { fields[.reachable] == "yes" || fields[.flags].map { $0 != "0" } ?? false }
}

extension Scene.Command {
    fileprivate enum Telling {
        case none, possible, certain
    }

    /// The next state of a question, and whether it is told.
    fileprivate var next: (String, Answer, Telling)? {
        switch self {
        case .told(let question, let answer): (question, answer, .certain)
        case .may(let question, let answer): (question, answer, .possible)
        case .now(let question, let answer): (question, answer, .none)
        default: nil
        }
    }

    fileprivate var isAboutTelling: Bool {
        if case .toldNothing = self { true } else { next != nil }
    }
}
