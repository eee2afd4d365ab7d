// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import TestBus
import TestHosts
import Testing

@testable import SystemBus

@Suite("A client of NetworkManager")
struct NetworkManagerClientTests {
    @Test("begins with a greeting, and starts no service")
    func beginning() {
        let peer = NetworkManagerPeer(ManagerModel(.no, interface: "eth0"))
        #expect(peer.waiting.map(\.member) == ["Hello", "AddMatch", "AddMatch", "GetNameOwner"])
        #expect(peer.waiting.map(\.serial) == [1, 2, 3, 4])
        let get = NetworkManagerClient.Question.isMetered.message(serial: 5, manager: ":1.7")
        #expect(get.destination == ":1.7" && get.flags == BusMessage.noAutoStart)
        #expect((try? get.texts(2)) == [NetworkManager.name, "Metered"])
    }

    @Test("takes yes and a guessed yes for metered, and nothing else", arguments: ManagerModel.Metered.allCases)
    func values(metered: ManagerModel.Metered) {
        var peer = NetworkManagerPeer(ManagerModel(metered, interface: "wlan0"))
        peer.answerAll()
        #expect(peer.metered == [[.yes, .guessedYes].contains(metered) ? "wlan0" : nil])
    }

    @Test("takes over what NetworkManager's own check found", arguments: ManagerModel.Connectivity.allCases)
    func connectivity(value: ManagerModel.Connectivity) throws {
        for metered in [ManagerModel.Metered.yes, .no] {
            var peer = NetworkManagerPeer(ManagerModel(metered, value, interface: "wlan0"))
            peer.answerAll()
            let report = try #require(peer.reports.first)
            #expect(peer.reports.count == 1 && "\(report.connectivity)" == "\(value)")
            #expect(report.meteredInterface == (metered == .yes ? "wlan0" : nil))
        }
    }

    @Test("does not know the connectivity if NetworkManager does not say it in a way that is known")
    func unknownConnectivity() {
        var number = BusWriter()
        number.signature("u")
        number.uint32(5)
        for value in [("v", number.bytes), ("v", []), ("s", [0, 0, 0, 0, 0])] as [(String, [UInt8])] {
            for property in ["Connectivity", "ConnectivityCheckEnabled"] {
                var peer = NetworkManagerPeer(ManagerModel(.yes, .full, interface: "wlan0"))
                peer.answerAll(spoiling: property, with: value)
                #expect(peer.reports == [NetworkManager.Report(meteredInterface: "wlan0")] && !peer.hasHungUp)
            }
        }
    }

    @Test("does not believe a NetworkManager that says \"full\" and checks nothing")
    func unchecked() {
        let model = ManagerModel(.yes, .full, interface: "wlan0")
        model.setChecking(false)
        var peer = NetworkManagerPeer(model)
        peer.answerAll()
        for isChecking in [true, false] {
            model.setChecking(isChecking)
            peer.announce()
            peer.answerAll()
        }
        #expect(peer.reports.map(\.connectivity) == [.unknown, .full, .unknown])
    }

    @Test("reports once for each change of connectivity, and waits for all answers of a round")
    func connectivityChanges() {
        let model = ManagerModel(.yes, .none, interface: "wlan0")
        var peer = NetworkManagerPeer(model)
        for _ in 0..<8 { peer.answerOne() }
        // The answer about connectivity has come; the one about the interface has not.
        #expect(peer.reports.isEmpty && peer.waiting.count == 1)
        peer.answerAll()
        for connectivity in [.portal, .portal, .full, .limited] as [ManagerModel.Connectivity] {
            model.set(nil, connectivity)
            peer.announce()
            peer.answerAll()
        }
        #expect(peer.reports.map(\.connectivity) == [.none, .portal, .full, .limited])
        #expect(peer.metered.allSatisfy { $0 == "wlan0" })
        peer.changeOwner(to: "")
        #expect(peer.reports.last == NetworkManager.Report())
    }

    @Test("reports each change once")
    func changes() {
        let model = ManagerModel(.no, interface: "wlan0")
        var peer = NetworkManagerPeer(model)
        peer.answerAll()
        for metered in [.yes, .guessedYes, .no, .unknown, .guessedYes] as [ManagerModel.Metered] {
            model.set(metered)
            peer.announce()
            peer.answerAll()
        }
        model.set(.yes, interface: "wwan0")
        peer.announce()
        peer.answerAll()
        #expect(peer.metered == [nil, "wlan0", nil, "wlan0", "wwan0"])
    }

    @Test("asks exactly once more after any number of changes while a question is open")
    func storm() {
        let model = ManagerModel(.yes, interface: "wlan0")
        var peer = NetworkManagerPeer(model)
        for _ in 0..<4 { peer.answerOne() }
        #expect(peer.waiting.count == 2)
        for _ in 0..<100 { peer.announce() }
        #expect(peer.waiting.count == 2)
        peer.answerAll()
        #expect(model.asked == 2)
        #expect(peer.metered == ["wlan0"])
    }

    @Test("forgets the answers of a NetworkManager that is gone, also those still to come")
    func owners() {
        let model = ManagerModel(.yes, interface: "wlan0")
        var peer = NetworkManagerPeer(model)
        peer.answerAll()
        peer.announce()
        let late = peer.answer(to: peer.waiting[0])
        peer.changeOwner(to: "")
        #expect(peer.metered == ["wlan0", nil])
        peer.send(late)
        peer.announce(from: ":1.7")
        peer.answerAll()
        #expect(peer.metered == ["wlan0", nil])
        peer.changeOwner(to: ":1.9")
        peer.answerAll()
        #expect(peer.metered == ["wlan0", nil, "wlan0"])
    }

    @Test("waits for a NetworkManager that is not there yet")
    func late() {
        var peer = NetworkManagerPeer(ManagerModel(.yes, interface: "wlan0"))
        peer.owner = nil
        peer.answerAll()
        #expect(peer.metered == [nil] && !peer.hasHungUp)
        peer.changeOwner(to: ":1.3")
        peer.answerAll()
        #expect(peer.metered == [nil, "wlan0"])
    }

    @Test("believes only the bus and the owner of the name")
    func impostors() {
        let model = ManagerModel(.no, interface: "wlan0")
        var peer = NetworkManagerPeer(model)
        peer.answerAll()
        let asked = model.asked
        model.set(.yes)
        peer.announce(from: ":1.66")
        peer.announce(from: Bus.name)
        peer.changeOwner(to: ":1.66", sender: ":1.66")
        #expect(peer.waiting.isEmpty && model.asked == asked)

        peer.announce()
        var forged = peer.answer(to: peer.waiting[0])
        forged.sender = ":1.66"
        peer.send(forged)
        var stray = peer.answer(to: peer.waiting[0])
        stray.replySerial = 1000
        peer.send(stray)
        // Neither was taken for the answer. That would have led to the next question.
        #expect(peer.waiting.count == 2 && peer.metered == [nil])
        peer.answerAll()
        #expect(peer.metered == [nil, "wlan0"])
    }

    @Test("takes an unreadable answer for no")
    func emptyAnswers() {
        for value in [
            ("", []), ("v", []), ("v", [1, 0x73, 0, 0, 0, 0, 0, 0, 0]), ("u", [1, 0, 0, 0]), ("v", [1, 0x75, 0, 0, 1]),
        ] as [(String, [UInt8])] {
            let model = ManagerModel(.yes, interface: "wlan0")
            var peer = NetworkManagerPeer(model)
            peer.answerAll()
            peer.announce()
            peer.answerAll(spoiling: "Metered", with: value)
            #expect(peer.metered == ["wlan0", nil] && !peer.hasHungUp)
        }
    }

    @Test("hangs up if the bus refuses to report changes")
    func unwilling() {
        for member in ["Hello", "AddMatch"] {
            var peer = NetworkManagerPeer(ManagerModel(.yes, interface: "wlan0"))
            let call = peer.waiting.first { $0.member == member }!
            var answer = peer.answer(to: call)
            answer.kind = .failure
            peer.send(answer)
            #expect(peer.hasHungUp)
        }
    }

    @Test("names no user to the bus, and accepts a refusal")
    func handshake() {
        var handshake = BusHandshake()
        #expect(handshake.take("DATA") == .send(Array("DATA\r\n".utf8)))
        #expect(handshake.take("OK 1234") == .done(Array("BEGIN\r\n".utf8)))
        for lines in [["REJECTED EXTERNAL"], ["DATA", "DATA"], ["ERROR"], [""], ["DATA", "REJECTED"]] {
            var handshake = BusHandshake()
            #expect(lines.map { handshake.take($0) }.last == .refused)
        }
        var client = NetworkManagerClient()
        #expect(client.start() == [.send([0] + Array("AUTH EXTERNAL\r\n".utf8))])
        #expect(client.receive(Array("REJECTED\r\n".utf8), at: NetworkManagerPeer.now) == [.hangUp])
    }

    @Test("survives arbitrary bytes at every point")
    func arbitrary() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            var client = NetworkManagerClient()
            var isOver = false
            func receive(_ bytes: [UInt8]) {
                if !isOver { isOver = client.receive(bytes, at: NetworkManagerPeer.now).contains(.hangUp) }
            }
            if Bool.random(using: &random) { receive(Array("DATA\r\nOK\r\n".utf8)) }
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                if Bool.random(using: &random) {
                    var signal = ManagerModel(.yes, interface: "x").announcement(serial: 1)
                    signal.isBigEndian = Bool.random(using: &random)
                    signal.sender = Bool.random(using: &random) ? Bus.name : ":1.7"
                    var bytes = signal.encoded
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                    receive(bytes)
                } else {
                    receive(
                        (0..<Int.random(in: 0...40, using: &random)).map { _ in .random(in: 0...255, using: &random) })
                }
            }
        }
    }
}
