// SPDX-License-Identifier: Apache-2.0

import TestBus
import Testing

@testable import ReachabilitySystemBus

/// The other end of a connection: a bus and a NetworkManager that answer when a test says so.
struct NetworkManagerPeer {
    var client = NetworkManagerClient()
    let model: ManagerModel
    var owner: String? = ":1.7"
    private var stream = BusStream()
    /// The client's messages that have no answer yet.
    private(set) var waiting: [BusMessage] = []
    private(set) var reports: [NetworkManager.Report] = []
    /// The metered interfaces of each report.
    var metered: [[String]] { reports.map { $0.filter(\.isMetered).map(\.interface).sorted() } }
    /// Both connectivities of the first interface in each report.
    var connectivity: [String] { reports.map { $0.sorted().first.map { "\($0.ipv4)/\($0.ipv6)" } ?? "nothing" } }
    private(set) var hasHungUp = false

    init(_ model: ManagerModel) {
        self.model = model
        perform(client.start())
        perform(client.receive(Array("DATA\r\nOK 1234\r\n".utf8)))
        #expect((0..<3).map { _ in try? stream.nextLine() } == ["\0AUTH EXTERNAL", "DATA", "BEGIN"])
        readMessages()
    }

    /// One that has answered all questions.
    static func asked(_ model: ManagerModel) -> NetworkManagerPeer {
        var peer = NetworkManagerPeer(model)
        peer.answerAll()
        return peer
    }

    private mutating func perform(_ actions: [NetworkManagerClient.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): stream.append(bytes)
            case .report(let report): reports.append(report)
            case .hangUp: hasHungUp = true
            }
        }
    }

    private mutating func readMessages() {
        while let message = try? stream.nextMessage() { waiting.append(message) }
    }

    mutating func send(_ message: BusMessage) {
        perform(client.receive(message.encoded))
        readMessages()
    }

    /// Answers the questions so far, and those that follow from the answers.
    mutating func answerAll() {
        while answerOne() {}
    }

    /// The same, but a value of another type or with other bytes for one property.
    mutating func answerAll(spoiling property: String, with value: (type: String, bytes: [UInt8])) {
        while !waiting.isEmpty {
            let call = waiting.removeFirst()
            var answer = answer(to: call)
            if (try? call.texts(2))?.last == property { (answer.signature, answer.body) = value }
            send(answer)
        }
    }

    @discardableResult
    mutating func answerOne() -> Bool {
        guard !waiting.isEmpty else { return false }
        send(answer(to: waiting.removeFirst()))
        return true
    }

    /// As one that ends before it answers.
    mutating func loseQuestions() { waiting = [] }

    func answer(to call: BusMessage) -> BusMessage {
        if call.destination == Bus.name { return ScriptedBus.answer(to: call, owner: owner, serial: 1) }
        var answer = model.answer(to: call, serial: 1)
        answer.sender = owner
        return answer
    }

    /// Announces a change, and answers the questions to which it leads.
    mutating func tell(_ signal: BusMessage? = nil) {
        announce(signal)
        answerAll()
    }

    mutating func announce(_ signal: BusMessage? = nil, from sender: String? = nil) {
        var signal = signal ?? model.set()
        signal.sender = sender ?? owner
        send(signal)
    }

    mutating func changeOwner(to name: String, sender: String = Bus.name) {
        var signal = BusMessage(.signal, serial: 1)
        (signal.interface, signal.member, signal.sender) = (Bus.name, "NameOwnerChanged", sender)
        signal.setTexts([NetworkManager.name, owner ?? "", name])
        if sender == Bus.name { owner = name.isEmpty ? nil : name }
        send(signal)
    }
}

extension Set<NetworkManager.Device> {
    fileprivate func sorted() -> [NetworkManager.Device] { sorted { $0.interface < $1.interface } }
}
