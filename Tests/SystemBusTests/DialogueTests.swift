// SPDX-License-Identifier: Apache-2.0

import TestBus
import TestHosts
import Testing

@testable import SystemBus

/// The other end of a talk: a bus and a NetworkManager that answer when a test lets them.
private struct Partner {
    var talk = MeteredTalk()
    let model: ManagerModel
    var owner: String? = ":1.7"
    private(set) var waiting: [BusMessage] = []
    private(set) var told: [String?] = []
    private(set) var hasGivenUp = false

    init(_ model: ManagerModel) {
        self.model = model
        take(talk.begin())
    }

    mutating func take(_ actions: [MeteredTalk.Action]) {
        for action in actions {
            switch action {
            case .say(let message): waiting.append(message)
            case .metered(let interface): told.append(interface)
            case .giveUp: hasGivenUp = true
            }
        }
    }

    /// Answers what has been asked so far and what is asked because of it.
    mutating func answerAll() {
        while answerOne() {}
    }

    @discardableResult
    mutating func answerOne() -> Bool {
        guard !waiting.isEmpty else { return false }
        take(talk.take(answer(to: waiting.removeFirst())))
        return true
    }

    func answer(to call: BusMessage) -> BusMessage {
        if call.destination != Bus.name {
            var answer = model.answer(to: call, serial: 1)
            answer.sender = owner
            return answer
        }
        var answer = BusMessage(.reply, serial: 1)
        (answer.replySerial, answer.sender) = (call.serial, Bus.name)
        if call.member == "Hello" { answer.setTexts(":1.42") }
        if call.member == "GetNameOwner" {
            if let owner { answer.setTexts(owner) } else { answer.kind = .failure }
        }
        return answer
    }

    mutating func announce(from sender: String? = nil) {
        var signal = model.announcement(serial: 1)
        signal.sender = sender ?? owner
        take(talk.take(signal))
    }

    mutating func changeOwner(to name: String, sender: String = Bus.name) {
        var signal = BusMessage(.signal, serial: 1)
        (signal.interface, signal.member, signal.sender) = (Bus.name, "NameOwnerChanged", sender)
        signal.setTexts(Manager.name, owner ?? "", name)
        if sender == Bus.name { owner = name.isEmpty ? nil : name }
        take(talk.take(signal))
    }
}

@Suite("Talking with NetworkManager")
struct DialogueTests {
    @Test("begins with a greeting, and asks nobody to be started")
    func beginning() {
        let partner = Partner(ManagerModel(.no, interface: "eth0"))
        #expect(partner.waiting.map(\.member) == ["Hello", "AddMatch", "AddMatch", "GetNameOwner"])
        #expect(partner.waiting.map(\.serial) == [1, 2, 3, 4])
        let get = MeteredQuestion.isMetered.message(serial: 5, manager: ":1.7")
        #expect(get.destination == ":1.7" && get.flags == BusMessage.startsNobody)
        #expect((try? get.texts(2)) == [Manager.name, "Metered"])
    }

    @Test("takes yes and a guessed yes for metered, and nothing else", arguments: ManagerModel.Metered.allCases)
    func values(metered: ManagerModel.Metered) {
        var partner = Partner(ManagerModel(metered, interface: "wlan0"))
        partner.answerAll()
        #expect(partner.told == [[.yes, .guessedYes].contains(metered) ? "wlan0" : nil])
    }

    @Test("hears of each change once")
    func changes() {
        let model = ManagerModel(.no, interface: "wlan0")
        var partner = Partner(model)
        partner.answerAll()
        for metered in [.yes, .guessedYes, .no, .unknown, .guessedYes] as [ManagerModel.Metered] {
            model.set(metered)
            partner.announce()
            partner.answerAll()
        }
        model.set(.yes, interface: "wwan0")
        partner.announce()
        partner.answerAll()
        #expect(partner.told == [nil, "wlan0", nil, "wlan0", "wwan0"])
    }

    @Test("asks once more, and not more often, after any number of changes while it was asking")
    func storm() {
        let model = ManagerModel(.yes, interface: "wlan0")
        var partner = Partner(model)
        for _ in 0..<4 { partner.answerOne() }
        #expect(partner.waiting.count == 1)
        for _ in 0..<100 { partner.announce() }
        #expect(partner.waiting.count == 1)
        partner.answerAll()
        #expect(model.asked == 2)
        #expect(partner.told == ["wlan0"])
    }

    @Test("forgets what a NetworkManager said that is gone, and what it may still say")
    func owners() {
        let model = ManagerModel(.yes, interface: "wlan0")
        var partner = Partner(model)
        partner.answerAll()
        partner.announce()
        let late = partner.answer(to: partner.waiting[0])
        partner.changeOwner(to: "")
        #expect(partner.told == ["wlan0", nil])
        partner.take(partner.talk.take(late))
        partner.announce(from: ":1.7")
        partner.answerAll()
        #expect(partner.told == ["wlan0", nil])
        partner.changeOwner(to: ":1.9")
        partner.answerAll()
        #expect(partner.told == ["wlan0", nil, "wlan0"])
    }

    @Test("waits for one that is not there yet")
    func late() {
        var partner = Partner(ManagerModel(.yes, interface: "wlan0"))
        partner.owner = nil
        partner.answerAll()
        #expect(partner.told == [nil] && !partner.hasGivenUp)
        partner.changeOwner(to: ":1.3")
        partner.answerAll()
        #expect(partner.told == [nil, "wlan0"])
    }

    @Test("believes nobody but the bus and the one who has the name")
    func impostors() {
        let model = ManagerModel(.no, interface: "wlan0")
        var partner = Partner(model)
        partner.answerAll()
        let asked = model.asked
        model.set(.yes)
        partner.announce(from: ":1.66")
        partner.announce(from: Bus.name)
        partner.changeOwner(to: ":1.66", sender: ":1.66")
        #expect(partner.waiting.isEmpty && model.asked == asked)

        partner.announce()
        var forged = partner.answer(to: partner.waiting[0])
        forged.sender = ":1.66"
        partner.take(partner.talk.take(forged))
        var stray = partner.answer(to: partner.waiting[0])
        stray.replySerial = 1000
        partner.take(partner.talk.take(stray))
        // Neither was taken for the answer, which would have led to the next question.
        #expect(partner.waiting.count == 1 && partner.told == [nil])
        partner.answerAll()
        #expect(partner.told == [nil, "wlan0"])
    }

    @Test("takes an answer that says nothing for no")
    func emptyAnswers() {
        for (type, bytes) in [
            ("", []), ("v", []), ("v", [1, 0x73, 0, 0, 0, 0, 0, 0, 0]), ("u", [1, 0, 0, 0]), ("v", [1, 0x75, 0, 0, 1]),
        ] as [(String, [UInt8])] {
            let model = ManagerModel(.yes, interface: "wlan0")
            var partner = Partner(model)
            partner.answerAll()
            partner.announce()
            var answer = partner.answer(to: partner.waiting[0])
            (answer.signature, answer.body) = (type, bytes)
            partner.take(partner.talk.take(answer))
            #expect(partner.told == ["wlan0", nil] && !partner.hasGivenUp)
        }
    }

    @Test("gives up on a bus that will not tell of changes")
    func unwilling() {
        for member in ["Hello", "AddMatch"] {
            var partner = Partner(ManagerModel(.yes, interface: "wlan0"))
            let call = partner.waiting.first { $0.member == member }!
            var answer = partner.answer(to: call)
            answer.kind = .failure
            partner.take(partner.talk.take(answer))
            #expect(partner.hasGivenUp)
        }
    }

    @Test("greets a bus by the kernel's word alone, and accepts a refusal")
    func handshake() {
        var handshake = BusHandshake()
        #expect(handshake.take("DATA") == .say(Array("DATA\r\n".utf8)))
        #expect(handshake.take("OK 1234") == .done(Array("BEGIN\r\n".utf8)))
        for lines in [["REJECTED EXTERNAL"], ["DATA", "DATA"], ["ERROR"], [""], ["DATA", "REJECTED"]] {
            var handshake = BusHandshake()
            #expect(lines.map { handshake.take($0) }.last == .refused)
        }
        var dialogue = MeteredDialogue()
        #expect(dialogue.begin() == [.send([0] + Array("AUTH EXTERNAL\r\n".utf8))])
        #expect(dialogue.take(Array("REJECTED\r\n".utf8)) == [.hangUp])
    }

    @Test("survives arbitrary bytes at every point")
    func arbitrary() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            var dialogue = MeteredDialogue()
            var isOver = false
            func take(_ bytes: [UInt8]) {
                if !isOver { isOver = dialogue.take(bytes).contains(.hangUp) }
            }
            if Bool.random(using: &random) { take(Array("DATA\r\nOK\r\n".utf8)) }
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                if Bool.random(using: &random) {
                    var signal = ManagerModel(.yes, interface: "x").announcement(serial: 1)
                    signal.isBigEndian = Bool.random(using: &random)
                    signal.sender = Bool.random(using: &random) ? Bus.name : ":1.7"
                    var bytes = signal.encoded
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                    take(bytes)
                } else {
                    take((0..<Int.random(in: 0...40, using: &random)).map { _ in .random(in: 0...255, using: &random) })
                }
            }
        }
    }
}
