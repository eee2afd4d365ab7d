// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import Testing

@testable import Connections

@Suite("The state machine of a connection")
struct ConnectionMachineTests {
    typealias Action = ConnectionMachine.Action

    enum Event: Sendable {
        case start, restart, cancel, forceCancel, refuse(ConnectionFailure)
        case succeeded, failed(ConnectionFailure)
        case path(ConnectionFailure?), streamPath(Bool), streamFailed(ConnectionFailure)

        func happen(to machine: inout ConnectionMachine) -> [Action] {
            switch self {
            case .start: machine.start()
            case .restart: machine.restart()
            case .cancel: machine.cancel(isForced: false)
            case .forceCancel: machine.cancel(isForced: true)
            case .refuse(let failure): machine.refuse(failure)
            case .succeeded: machine.attemptSucceeded()
            case .failed(let failure): machine.attemptFailed(failure)
            case .path(let obstacle): machine.pathObserved(obstacle)
            case .streamPath(let isReachable): machine.streamPathObserved(isReachable: isReachable)
            case .streamFailed(let failure): machine.streamFailed(failure)
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [(Event, [Action])]
        var testDescription: String { name }
    }

    static let refused = ConnectionFailure.system(.connectionRefused)
    static let noRoute = ConnectionFailure.system(.networkUnreachable)
    static let down = ConnectionFailure.system(.networkDown)
    static let reset = ConnectionFailure.system(.connectionReset)
    static let files = ConnectionFailure.system(.tooManyOpenFiles)
    static let cancelled = ConnectionFailure.system(.cancelled)
    static let nameless = ConnectionFailure.unresolved(.noSuchName)

    static let begin: [Action] = [.tell(.preparing), .beginAttempt]
    static let established: [Action] = [.followStream, .tell(.ready), .tellViability(true), .openTransfers]
    static let over: [Action] = [.failTransfers(cancelled), .tell(.cancelled), .finish]

    static let rows: [Row] = [
        Row(
            name: "goes straight to ready",
            steps: [
                (.start, [.follow] + begin), (.path(nil), []), (.succeeded, established),
                (.cancel, [.unfollow, .closeStream(isReset: false)] + over), (.cancel, []),
            ]),
        Row(
            name: "is started once",
            steps: [(.start, [.follow] + begin), (.start, []), (.succeeded, established), (.start, [])]),
        Row(
            name: "waits for a route and goes on by itself",
            steps: [
                (.start, [.follow] + begin), (.failed(noRoute), [.tell(.waiting(noRoute))]), (.path(noRoute), []),
                (.path(nil), begin), (.succeeded, established),
            ]),
        Row(
            name: "does not even try without a way",
            steps: [
                (.start, [.follow] + begin), (.path(down), [.endAttempt, .tell(.waiting(down))]), (.path(nil), begin),
                (.path(down), [.endAttempt, .tell(.waiting(down))]),
            ]),
        Row(
            name: "a way found at the first look is news to those who had none",
            steps: [(.start, [.follow] + begin), (.failed(noRoute), [.tell(.waiting(noRoute))]), (.path(nil), begin)]),
        Row(
            name: "a way found at the first look is no news to those who were refused",
            steps: [
                (.start, [.follow] + begin), (.failed(refused), [.tell(.waiting(refused))]), (.path(nil), []),
                (.path(nil), begin),
            ]),
        Row(
            name: "waits for a name",
            steps: [
                (.start, [.follow] + begin), (.failed(nameless), [.tell(.waiting(nameless))]), (.path(nameless), []),
                (.path(nil), begin),
            ]),
        Row(
            name: "a network that changed during the attempt is tried once more",
            steps: [
                (.start, [.follow] + begin), (.path(nil), []), (.path(nil), []), (.failed(refused), [.beginAttempt]),
                (.failed(refused), [.tell(.waiting(refused))]),
            ]),
        Row(
            name: "is restarted while it waits, and only then",
            steps: [
                (.restart, []), (.start, [.follow] + begin), (.restart, []),
                (.failed(refused), [.tell(.waiting(refused))]), (.restart, begin), (.succeeded, established),
                (.restart, []),
            ]),
        Row(
            name: "fails for what no network mends",
            steps: [
                (.start, [.follow] + begin),
                (.failed(files), [.unfollow, .failTransfers(files), .tell(.failed(files))]), (.path(nil), []),
                (.restart, []), (.cancel, over),
            ]),
        Row(
            name: "is refused before it begins",
            steps: [
                (.refuse(files), [.failTransfers(files), .tell(.failed(files))]), (.start, []), (.cancel, over),
            ]),
        Row(
            name: "a lost link is a matter of viability",
            steps: [
                (.start, [.follow] + begin), (.succeeded, established), (.streamPath(true), []),
                (.streamPath(false), [.tellViability(false)]), (.streamPath(false), []),
                (.streamPath(true), [.tellViability(true)]),
            ]),
        Row(
            name: "a reset ends it",
            steps: [
                (.start, [.follow] + begin), (.succeeded, established),
                (
                    .streamFailed(reset),
                    [.unfollow, .closeStream(isReset: false), .failTransfers(reset), .tell(.failed(reset))]
                ), (.streamPath(true), []), (.cancel, over),
            ]),
        Row(name: "is cancelled in setup", steps: [(.cancel, over), (.start, []), (.restart, [])]),
        Row(
            name: "is cancelled while preparing",
            steps: [(.start, [.follow] + begin), (.cancel, [.endAttempt, .unfollow] + over)]),
        Row(
            name: "is cancelled while waiting",
            steps: [
                (.start, [.follow] + begin), (.failed(refused), [.tell(.waiting(refused))]),
                (.cancel, [.unfollow] + over),
            ]),
        Row(
            name: "is forced to its end",
            steps: [
                (.start, [.follow] + begin), (.succeeded, established),
                (.forceCancel, [.unfollow, .closeStream(isReset: true)] + over),
            ]),
    ]

    @Test("does what each event asks for", arguments: rows)
    func table(row: Row) {
        var machine = ConnectionMachine()
        for (step, (event, expected)) in row.steps.enumerated() {
            #expect(event.happen(to: &machine) == expected, "step \(step): \(event)")
        }
    }

    @Test("traps on an event that cannot be, and names the state")
    func impossible() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var machine = ConnectionMachine()
            _ = machine.attemptSucceeded()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("an attempt succeeded while setup"))
    }

    @Test("tells of several failures the one that came furthest")
    func mostTelling() {
        #expect(ConnectionFailure.mostTelling(of: [Self.noRoute, Self.refused, Self.noRoute]) == Self.refused)
        #expect(ConnectionFailure.mostTelling(of: [Self.noRoute, .system(.timedOut)]) == .system(.timedOut))
        #expect(ConnectionFailure.mostTelling(of: [Self.nameless]) == Self.nameless)
        #expect(ConnectionFailure.mostTelling(of: []) == nil)
    }
}
