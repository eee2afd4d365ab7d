// SPDX-License-Identifier: Apache-2.0

import TestBus
import Testing

@testable import ReachabilitySystemBus

@Suite("A client of NetworkManager")
struct NetworkManagerClientTests {
    private typealias Device = ManagerModel.Device

    @Test func `begins with a greeting, and starts no service`() {
        let peer = NetworkManagerPeer(ManagerModel(.no, interface: "eth0"))
        let members = ["Hello", "AddMatch", "AddMatch", "AddMatch", "AddMatch", "GetNameOwner"]
        #expect(peer.waiting.map(\.member) == members)
        #expect(peer.waiting.map(\.serial) == [1, 2, 3, 4, 5, 6])
        let get = NetworkManagerClient.Question.device("/d", .metered).message(serial: 5, manager: ":1.7")
        #expect(get.path == "/d" && get.destination == ":1.7" && get.flags == BusMessage.noAutoStart)
        #expect((try? get.texts(2)) == ["\(NetworkManager.name).Device", "Metered"])
    }

    @Test(arguments: ManagerModel.Metered.allCases)
    func `takes yes and a guessed yes for metered, and nothing else`(metered: ManagerModel.Metered) {
        let peer = NetworkManagerPeer.asked(ManagerModel(metered, interface: "wlan0"))
        #expect(peer.metered == [[.yes, .guessedYes].contains(metered) ? ["wlan0"] : []])
    }

    @Test(arguments: ManagerModel.Connectivity.allCases)
    func `takes over what was found by each family`(value: ManagerModel.Connectivity) {
        for metered in [ManagerModel.Metered.yes, .no] {
            let peer = NetworkManagerPeer.asked(ManagerModel([Device("wlan0", metered, value, .limited)]))
            #expect(peer.connectivity == ["\(value)/limited"])
            #expect(peer.metered == [metered == .yes ? ["wlan0"] : []])
        }
    }

    @Test func `does not know what NetworkManager does not say in a way that is known`() {
        var number = BusWriter()
        number.signature("u")
        number.uint32(5)
        for value in [
            ("v", number.bytes), ("v", []), ("", []), ("s", [0, 0, 0, 0, 0]), ("u", [1, 0, 0, 0]),
            ("v", [1, 0x75, 0, 0, 1]),
        ] as [(String, [UInt8])] {
            for (property, expected) in [
                ("Ip4Connectivity", "unknown/portal"), ("Ip6Connectivity", "full/unknown"),
                ("ConnectivityCheckEnabled", "unknown/unknown"), ("Metered", "full/portal"),
                ("ActiveConnection", "nothing"), ("IpInterface", "nothing"), ("Devices", "nothing"),
            ] {
                var peer = NetworkManagerPeer(ManagerModel([Device("wlan0", .yes, .full, .portal)]))
                peer.answerAll(spoiling: property, with: value)
                #expect(peer.connectivity == [expected] && !peer.hasHungUp)
                #expect(peer.metered == [property == "Metered" || expected == "nothing" ? [] : ["wlan0"]])
            }
        }
    }

    @Test func `does not believe a NetworkManager that says "full" and checks nothing`() {
        let model = ManagerModel(.yes, .full, interface: "wlan0")
        model.setChecking(false)
        var peer = NetworkManagerPeer.asked(model)
        for isChecking in [true, false] { peer.tell(model.setChecking(isChecking)) }
        #expect(peer.connectivity == ["unknown/unknown", "full/full", "unknown/unknown"])
        #expect(peer.metered == [["wlan0"], ["wlan0"], ["wlan0"]])
    }

    @Test func `says nothing of a device without an active connection, or without a network interface`() {
        let model = ManagerModel([
            Device("eth0", .yes, .full, isManaged: false), Device("", .yes), Device("eth1", .yes),
        ])
        var peer = NetworkManagerPeer.asked(model)
        #expect(peer.reports.map { $0.map(\.interface) } == [["eth1"]])
        // The rest of the first was not asked.
        #expect(model.asked == 2)
        peer.tell(model.change("eth0") { $0.isManaged = true })
        peer.tell(model.change("") { $0.interface = "ppp0" })
        peer.tell(model.change("eth1") { $0.isManaged = false })
        #expect(peer.metered.dropFirst() == [["eth0", "eth1"], ["eth0", "eth1", "ppp0"], ["eth0", "ppp0"]])
    }

    @Test func `reports each change once, and waits for all answers before`() {
        let model = ManagerModel([Device("eth0", .no, .portal), Device("wlan0", .no, .full)])
        var peer = NetworkManagerPeer(model)
        while peer.waiting.count != 1 || peer.waiting.first?.member != "Get" { peer.answerOne() }
        // Everything has come but the last answer about the last device.
        #expect(peer.reports.isEmpty)
        peer.answerAll()
        for metered in [.yes, .guessedYes, .no, .unknown, .guessedYes] as [ManagerModel.Metered] {
            peer.tell(model.change("wlan0") { $0.metered = metered })
        }
        peer.tell(model.change("eth0") { $0.metered = .yes })
        peer.tell(model.change("wlan0") { $0.interface = "wwan0" })
        #expect(
            peer.metered == [[], ["wlan0"], [], ["wlan0"], ["eth0", "wlan0"], ["eth0", "wwan0"]])
        peer.tell(model.change("eth0") { $0.ipv4 = .limited })
        #expect(peer.connectivity.suffix(2) == ["portal/portal", "limited/portal"])
    }

    @Test func `asks a device that has changed, and no other`() {
        let model = ManagerModel((0..<50).map { Device("e\($0)", .yes) })
        var peer = NetworkManagerPeer.asked(model)
        #expect(model.asked == 50 && peer.reports.count == 1)
        peer.tell(model.change("e7") { $0.metered = .no })
        #expect(model.asked == 51 && peer.reports.count == 2)
    }

    @Test func `follows devices that come and go`() {
        let model = ManagerModel([Device("eth0", .yes)])
        var peer = NetworkManagerPeer.asked(model)
        peer.tell(model.add(Device("eth1", .yes)))
        peer.tell(model.remove("eth0"))
        let old = peer.reports.last
        // The same name, and another device: nothing is the same.
        peer.announce(model.remove("eth1"))
        peer.tell(model.add(Device("eth1", .yes)))
        #expect(peer.metered == [["eth0"], ["eth0", "eth1"], ["eth1"], [], ["eth1"]])
        #expect(peer.reports.last != old)
        // One that is gone before it has answered.
        let added = model.add(Device("eth2", .yes))
        peer.announce(added)
        peer.tell(model.remove("eth2"))
        #expect(peer.metered.count == 5)
    }

    @Test func `asks exactly once more after any number of changes while a question is open`() {
        let model = ManagerModel([Device("wlan0", .yes)])
        var peer = NetworkManagerPeer(model)
        while peer.waiting.first?.member != "Get" { peer.answerOne() }
        // The first answer is the list of devices.
        while peer.waiting.count > 1 { peer.answerOne() }
        for _ in 0..<100 { peer.announce() }
        #expect(peer.waiting.count == 1)
        peer.answerAll()
        #expect(model.asked <= 2)
        #expect(peer.metered == [["wlan0"]])
    }

    @Test func `does not report half of a change that came while it asked`() {
        var peer = NetworkManagerPeer.asked(ManagerModel([.init("eth0", .no)]))
        peer.announce(peer.model.change { $0.ipv4 = .full })
        // The active connection, and the name of the interface.
        peer.answerOne()
        peer.answerOne()
        peer.announce(peer.model.change { ($0.interface, $0.metered) = ("eth1", .yes) })
        peer.answerAll()
        #expect(peer.metered == [[], ["eth1"]])
    }

    @Test func `asks about a thousand devices at most`() {
        let model = ManagerModel((0..<1200).map { Device("e\($0)", .yes) })
        var peer = NetworkManagerPeer.asked(model)
        #expect(model.asked == 1000 && peer.reports.map(\.count) == [1000] && !peer.hasHungUp)
        peer.announce(model.add(Device("late", .yes)))
        #expect(peer.waiting.isEmpty)
    }

    @Test func `forgets the answers of a NetworkManager that is gone, also those still to come`() {
        let model = ManagerModel([Device("wlan0", .yes), Device("eth0", .yes, .portal)])
        var peer = NetworkManagerPeer.asked(model)
        peer.announce()
        let late = peer.answer(to: peer.waiting[0])
        peer.changeOwner(to: "")
        #expect(peer.metered == [["eth0", "wlan0"], []])
        peer.send(late)
        peer.announce(from: ":1.7")
        peer.announce(model.add(Device("eth1", .yes)), from: ":1.7")
        peer.answerAll()
        #expect(peer.metered == [["eth0", "wlan0"], []])
        // The next one has other devices.
        model.remove("wlan0")
        peer.changeOwner(to: ":1.9")
        peer.answerAll()
        #expect(peer.metered == [["eth0", "wlan0"], [], ["eth0", "eth1"]])
        // It ends while it is asked, and the next one does not wait for its answer.
        peer.announce()
        peer.loseQuestions()
        peer.changeOwner(to: ":1.10")
        peer.answerAll()
        #expect(peer.metered.suffix(2) == [[], ["eth0", "eth1"]])
    }

    @Test func `waits for a NetworkManager that is not there yet`() {
        var peer = NetworkManagerPeer(ManagerModel(.yes, interface: "wlan0"))
        peer.owner = nil
        peer.answerAll()
        #expect(peer.metered == [[]] && !peer.hasHungUp)
        peer.changeOwner(to: ":1.3")
        peer.answerAll()
        #expect(peer.metered == [[], ["wlan0"]])
    }

    @Test func `believes only the bus and the owner of the name`() {
        let model = ManagerModel(.no, interface: "wlan0")
        var peer = NetworkManagerPeer.asked(model)
        let asked = model.asked
        model.set(.yes)
        for sender in [":1.66", Bus.name] {
            peer.announce(from: sender)
            peer.announce(model.add(Device("eth0", .yes)), from: sender)
            peer.announce(model.remove("eth0"), from: sender)
        }
        peer.changeOwner(to: ":1.66", sender: ":1.66")
        #expect(peer.waiting.isEmpty && model.asked == asked)

        peer.announce()
        var forged = peer.answer(to: peer.waiting[0])
        forged.sender = ":1.66"
        peer.send(forged)
        var stray = peer.answer(to: peer.waiting[0])
        stray.replySerial = 1000
        peer.send(stray)
        // Neither was taken for the answer. That would have led to the next questions.
        #expect(peer.waiting.count == 1 && peer.metered == [[]])
        peer.answerAll()
        #expect(peer.metered == [[], ["wlan0"]])
    }

    @Test func `hangs up if the bus refuses to report changes`() {
        for member in ["Hello", "AddMatch"] {
            var peer = NetworkManagerPeer(ManagerModel(.yes, interface: "wlan0"))
            let call = peer.waiting.first { $0.member == member }!
            var answer = peer.answer(to: call)
            answer.kind = .failure
            peer.send(answer)
            #expect(peer.hasHungUp)
        }
    }

    @Test func `names no user to the bus, and accepts a refusal`() {
        #expect(NetworkManagerClient().start() == [.send([0] + Array("AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n".utf8))])
        for lines in [
            ["REJECTED EXTERNAL"], ["DATA", "DATA"], ["ERROR"], [""], ["OK 1234"], ["DATA", "REJECTED"], ["DATAS"],
        ] {
            var client = NetworkManagerClient()
            let actions = lines.flatMap { client.receive(Array("\($0)\r\n".utf8)) }
            #expect(actions == [.hangUp])
        }
    }
}
