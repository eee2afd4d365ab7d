// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import Testing

@testable import WaitingURLSession

@Suite("The decisions of a request that waits")
struct WaitMachineTests {
    private enum Event {
        case network(ConnectivityObstacle?)
        case severed
        case failed(AttemptFailure)
        case watchFailed
    }

    /// Plays events, and returns the actions of each in words.
    private func play(_ repetition: Repetition, _ events: Event...) -> [String] {
        var machine = WaitMachine(repetition)
        return events.map { event in
            let actions =
                switch event {
                case .network(let obstacle): machine.networkObserved(obstacle)
                case .severed: machine.networkObserved(nil, isSevered: true)
                case .failed(let failure): machine.attemptFailed(failure)
                case .watchFailed: machine.watchFailed()
                }
            return actions.map(Self.word).joined(separator: " ")
        }
    }

    private static func word(_ action: WaitMachine.Action) -> String {
        switch action {
        case .attempt: "attempt"
        case .abandon: "abandon"
        case .report(.unreachable): "report:unreachable"
        case .report(.cellular): "report:cellular"
        case .report(.expensive): "report:expensive"
        case .report(.failed(let code)): "report:\(code.rawValue)"
        case .failAsAttempt: "fail"
        case .fail(let code): "fail:\(code.rawValue)"
        }
    }

    @Test func `one attempt if nothing is missing`() {
        #expect(play(.always, .network(nil), .failed(.other(.badURL))) == ["attempt", "fail"])
    }

    @Test func `a wait is told once, whatever its reason becomes`() {
        #expect(
            play(.always, .network(.unreachable), .network(.expensive), .network(.unreachable), .network(nil))
                == ["report:unreachable", "", "", "attempt"])
    }

    @Test(arguments: [Repetition.always, .ifNotSent])
    func `what was not sent waits for a change`(repetition: Repetition) {
        #expect(
            play(repetition, .network(nil), .failed(.notSent(.cannotConnectToHost)), .network(nil))
                == ["attempt", "report:-1004", "attempt"])
        #expect(
            play(repetition, .network(nil), .network(.unreachable), .failed(.notSent(.cannotFindHost)), .network(nil))
                == ["attempt", "", "report:unreachable", "attempt"])
    }

    @Test func `what failed in a network that has changed is tried again at once`() {
        for failure in [AttemptFailure.notSent(.cannotFindHost), .lost(.networkConnectionLost), .unclear(.timedOut)] {
            #expect(
                play(.always, .network(nil), .network(nil), .failed(failure)) == ["attempt", "", "attempt"])
        }
    }

    @Test func `a lost connection is tried again at once, but once only without a change`() {
        let lost = Event.failed(.lost(.networkConnectionLost))
        #expect(
            play(.always, .network(nil), lost, lost, .network(nil), lost, lost)
                == ["attempt", "attempt", "report:-1005", "attempt", "attempt", "report:-1005"])
    }

    @Test func `what may have been received is not repeated unless that is harmless`() {
        for failure in [AttemptFailure.lost(.networkConnectionLost), .unclear(.unknown), .other(.badServerResponse)] {
            #expect(play(.ifNotSent, .network(nil), .network(nil), .failed(failure)) == ["attempt", "", "fail"])
        }
        #expect(play(.never, .network(nil), .failed(.notSent(.cannotFindHost))) == ["attempt", "fail"])
    }

    @Test func `what fails for an unclear reason fails if the network has not changed`() {
        #expect(play(.always, .network(nil), .failed(.unclear(.timedOut))) == ["attempt", "fail"])
        #expect(
            play(.always, .network(nil), .network(.unreachable), .failed(.unclear(.timedOut)), .network(nil))
                == ["attempt", "", "report:unreachable", "attempt"])
    }

    @Test func `the last attempt follows when changes cannot be observed any more, unless one is under way`() {
        let failure = Event.failed(.notSent(.cannotConnectToHost))
        #expect(
            play(.always, .network(.unreachable), .watchFailed, failure) == ["report:unreachable", "attempt", "fail"])
        #expect(play(.always, .watchFailed, failure) == ["attempt", "fail"])
        #expect(
            play(.always, .network(nil), .network(.unreachable), .watchFailed, failure) == ["attempt", "", "", "fail"])
    }

    @Test func `a transfer is given up when its network is gone for good`() {
        #expect(play(.always, .network(nil), .severed) == ["attempt", "abandon attempt"])
        #expect(play(.ifNotSent, .network(nil), .severed) == ["attempt", "abandon fail:-1005"])
        #expect(play(.never, .network(nil), .severed) == ["attempt", "abandon fail:-1005"])
    }

    @Test func `a transfer does not go on by a network that is not allowed`() {
        #expect(
            play(.always, .network(nil), .network(.expensive), .network(nil))
                == ["attempt", "abandon report:expensive", "attempt"])
        #expect(play(.ifNotSent, .network(nil), .network(.cellular)) == ["attempt", "abandon fail:-1020"])
    }

    @Test(
        arguments: [
            ("GET", Repetition.always), ("HEAD", .always), ("PUT", .always), ("DELETE", .always), ("OPTIONS", .always),
            ("TRACE", .always), ("POST", .ifNotSent), ("PATCH", .ifNotSent), ("CONNECT", .ifNotSent),
            ("get", .ifNotSent),
        ])
    func `RFC 9110 says which methods are idempotent`(method: String, repetition: Repetition) throws {
        var request = URLRequest(url: try #require(URL(string: "http://a.test/")))
        request.httpMethod = method
        // FoundationNetworking writes the standard methods in capitals.
        let isNormalized = request.httpMethod != method
        #expect(Repetition(request) == (isNormalized ? .always : repetition))
        request.httpBodyStream = InputStream(data: Data())
        #expect(Repetition(request) == .never)
    }

    @Test(
        arguments: [
            (URLError(.cannotFindHost), AttemptFailure.notSent(.cannotFindHost)),
            (URLError(.dnsLookupFailed), .notSent(.dnsLookupFailed)),
            (URLError(.cannotConnectToHost), .lost(.cannotConnectToHost)),
            (URLError(.notConnectedToInternet), .notSent(.notConnectedToInternet)),
            (URLError(.networkConnectionLost), .lost(.networkConnectionLost)),
            (URLError(.timedOut), .unclear(.timedOut)), (URLError(.unknown), .unclear(.unknown)),
            (
                URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: "Failed to connect to 192.0.2.1 port 80"]),
                .notSent(.unknown)
            ),
            (
                URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: "Failed to connect to 192.0.2.1 port 80"]),
                .notSent(.timedOut)
            ),
            (URLError(.badServerResponse), .other(.badServerResponse)), (URLError(.cancelled), .other(.cancelled)),
        ])
    func `errors tell what became of the request`(error: URLError, failure: AttemptFailure) {
        #expect(AttemptFailure(error) == failure)
        if case .notSent(let code) = AttemptFailure(error, isAnswered: true) { Issue.record("\(code) was sent") }
    }
}
