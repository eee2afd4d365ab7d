// SPDX-License-Identifier: Apache-2.0

import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import Testing

@testable import ReachabilityConnections

@Suite("The state machine of a connection")
struct ConnectionMachineTests {
    typealias Action = ConnectionMachine.Action

    enum Event: Sendable {
        case start, restart, cancel(isCut: Bool = false), fail(ConnectionFailure, isCut: Bool = false)
        case succeeded, failed(ConnectionFailure)
        case host(ConnectionFailure?), stream(SocketFate.Fate, better: String? = nil)
        case streamFailed(ConnectionFailure, isCut: Bool = false)

        func happen(to machine: inout ConnectionMachine) -> [Action] {
            switch self {
            case .start: machine.start()
            case .restart: machine.restart()
            case .cancel(let isCut): machine.cancel(isCut: isCut)
            case .fail(let failure, let isCut): machine.fail(failure, isCut: isCut)
            case .succeeded: machine.attemptSucceeded()
            case .failed(let failure): machine.attemptFailed(failure)
            case .host(let obstacle): machine.hostObserved(obstacle)
            case .stream(let fate, let better): machine.streamObserved(SocketFate.State(fate, betterPath: better))
            case .streamFailed(let failure, let isCut): machine.streamFailed(failure, isCut: isCut)
            }
        }
    }

    static let refused = ConnectionFailure.system(.connectionRefused)
    static let noRoute = ConnectionFailure.system(.networkUnreachable)
    static let down = ConnectionFailure.system(.networkDown)
    static let reset = ConnectionFailure.system(.connectionReset)
    static let files = ConnectionFailure.system(.tooManyOpenFiles)
    static let cancelled = ConnectionFailure.system(.cancelled)
    static let nameless = ConnectionFailure.unresolved(.noSuchName)

    static let gone = SocketFate.Fate.unviable(.sourceGone)

    static let begin: [Action] = [.report(.state(.preparing)), .beginAttempt]
    static let established: [Action] = [
        .observeStream, .report(.state(.ready)), .report(.viability(true)), .beginTransfers,
    ]
    static let over: [Action] = [.failTransfers(cancelled), .report(.state(.cancelled)), .finish]

    static let rows: [String: [(Event, [Action])]] = [
        "goes straight to ready": [
            (.start, [.observeHost] + begin), (.host(nil), []), (.succeeded, established),
            (.cancel(), [.stopObserving, .endStream] + over), (.cancel(), []),
        ],
        "is started once": [
            (.start, [.observeHost] + begin), (.start, []), (.succeeded, established), (.start, []),
        ],
        "waits for a route and tries again by itself": [
            (.start, [.observeHost] + begin), (.failed(noRoute), [.report(.state(.waiting(noRoute)))]),
            (.host(noRoute), []),
            (.host(nil), begin), (.succeeded, established),
        ],
        "waits at once without a route": [
            (.start, [.observeHost] + begin), (.host(down), [.endAttempt, .report(.state(.waiting(down)))]),
            (.host(nil), begin),
            (.host(down), [.endAttempt, .report(.state(.waiting(down)))]),
        ],
        "a route seen first counts after a failure for want of a route": [
            (.start, [.observeHost] + begin), (.failed(noRoute), [.report(.state(.waiting(noRoute)))]),
            (.host(nil), begin),
        ],
        "a route seen first does not count after a refusal": [
            (.start, [.observeHost] + begin), (.failed(refused), [.report(.state(.waiting(refused)))]),
            (.host(nil), []),
            (.host(nil), begin),
        ],
        "waits for a name": [
            (.start, [.observeHost] + begin), (.failed(nameless), [.report(.state(.waiting(nameless)))]),
            (.host(nameless), []),
            (.host(nil), begin),
        ],
        "tries once more after a change during the attempt": [
            (.start, [.observeHost] + begin), (.host(nil), []), (.host(nil), []),
            (.failed(refused), [.beginAttempt]),
            (.failed(refused), [.report(.state(.waiting(refused)))]),
        ],
        "does not try once more what the client has given up": [
            (.start, [.observeHost] + begin), (.host(nil), []), (.host(nil), []),
            (.failed(cancelled), [.report(.state(.waiting(cancelled)))]),
        ],
        "is restarted only while it waits": [
            (.restart, []), (.start, [.observeHost] + begin), (.restart, []),
            (.failed(refused), [.report(.state(.waiting(refused)))]), (.restart, begin), (.succeeded, established),
            (.restart, []),
        ],
        "fails on an error that is not about the network": [
            (.start, [.observeHost] + begin),
            (.failed(files), [.stopObserving, .failTransfers(files), .report(.state(.failed(files)))]),
            (.host(nil), []),
            (.restart, []), (.cancel(), over),
        ],
        "is refused before it begins": [
            (.fail(files), [.failTransfers(files), .report(.state(.failed(files)))]), (.start, []),
            (.cancel(), over),
        ],
        "fails with its thread while preparing": [
            (.start, [.observeHost] + begin),
            (.fail(files), [.endAttempt, .stopObserving, .failTransfers(files), .report(.state(.failed(files)))]),
            (.fail(files), []), (.cancel(), over), (.fail(files), []),
        ],
        "fails with its thread while waiting": [
            (.start, [.observeHost] + begin), (.failed(refused), [.report(.state(.waiting(refused)))]),
            (.fail(files), [.stopObserving, .failTransfers(files), .report(.state(.failed(files)))]),
        ],
        "reports a lost link as viability": [
            (.start, [.observeHost] + begin), (.succeeded, established), (.stream(.viable), []),
            (.stream(gone), [.report(.viability(false))]), (.stream(gone), []), (.stream(.dead(.failed)), []),
            (.stream(.viable), [.report(.viability(true))]), (.stream(.dead(.failed)), []),
        ],
        "reports a better path when it comes and when it goes": [
            (.start, [.observeHost] + begin), (.succeeded, established),
            (.stream(.viable, better: "eth1"), [.report(.betterPath(true))]),
            (.stream(.viable, better: "eth2"), []),
            (.stream(gone), [.report(.viability(false)), .report(.betterPath(false))]),
        ],
        "fails on a reset": [
            (.start, [.observeHost] + begin), (.succeeded, established),
            (
                .streamFailed(reset),
                [
                    .stopObserving, .closeStream(isReset: false), .failTransfers(reset),
                    .report(.state(.failed(reset))),
                ]
            ), (.stream(.viable), []), (.cancel(), over),
        ],
        "is cancelled in setup": [(.cancel(), over), (.start, []), (.restart, [])],
        "is cancelled while preparing": [
            (.start, [.observeHost] + begin), (.cancel(), [.endAttempt, .stopObserving] + over),
        ],
        "is cancelled while waiting": [
            (.start, [.observeHost] + begin), (.failed(refused), [.report(.state(.waiting(refused)))]),
            (.cancel(), [.stopObserving] + over),
        ],
        "is reset if it ends before all was sent": [
            (.start, [.observeHost] + begin), (.succeeded, established),
            (.cancel(isCut: true), [.stopObserving, .closeStream(isReset: true)] + over),
        ],
        "is reset if it fails before all was sent": [
            (.start, [.observeHost] + begin), (.succeeded, established),
            (
                .streamFailed(files, isCut: true),
                [
                    .stopObserving, .closeStream(isReset: true), .failTransfers(files),
                    .report(.state(.failed(files))),
                ]
            ),
        ],
    ]

    @Test("returns the actions for each event", arguments: rows.keys.sorted())
    func table(row: String) throws {
        var machine = ConnectionMachine()
        for (step, (event, expected)) in try #require(Self.rows[row]).enumerated() {
            #expect(event.happen(to: &machine) == expected, "step \(step): \(event)")
        }
    }

    /// Whether `assertionFailure` traps, as in a build that is not optimised.
    private static var areAssertionsOn: Bool {
        var areOn = false
        assert(
            {
                areOn = true
                return true
            }())
        return areOn
    }

    @Test("traps on an impossible event, and names the state; an optimised build ignores it")
    func impossible() async {
        if Self.areAssertionsOn {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                var machine = ConnectionMachine()
                _ = machine.attemptSucceeded()
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("an attempt succeeded while setup"))
        } else {
            var machine = ConnectionMachine()
            #expect(machine.attemptSucceeded().isEmpty)
            #expect(machine.streamFailed(Self.refused, isCut: false).isEmpty)
            #expect(machine.state == .setup)
            var eyeballs = HappyEyeballs()
            #expect(eyeballs.delayPassed().isEmpty)
            #expect(eyeballs.connected(.v4(.any)).isEmpty)
        }
    }

    @Test("reports the failure that got furthest")
    func mostInformative() {
        #expect(ConnectionFailure.mostInformative(of: [Self.noRoute, Self.refused, Self.noRoute]) == Self.refused)
        #expect(ConnectionFailure.mostInformative(of: [Self.noRoute, .system(.timedOut)]) == .system(.timedOut))
        #expect(ConnectionFailure.mostInformative(of: [Self.nameless]) == Self.nameless)
        #expect(ConnectionFailure.mostInformative(of: []) == nil)
    }
}
