// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityTestMachines
import TestHosts

/// A web server that treats each request in the manner that is next, and the following ones in the last.
final class ScriptedWebServer: Sendable {
    let requests = ReceivedValues<WebServer.Request>()
    let server: WebServer

    /// To be made in the namespace of the server.
    init(port: UInt16 = 80, _ manners: [WebServer.Answer]) throws {
        let left = Lock(manners)
        server = try WebServer(port: port) { [requests] request in
            requests.record(request)
            return left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
    }

    /// The first line and the body of each request, without the protocol's version.
    var received: [String] {
        requests.all.map { "\($0.line.replacing(" HTTP/1.1", with: "")) \($0.body)".trimmingSuffix(" ") }
    }
}

extension WebServer.Answer {
    static func answer(_ text: String) -> Self { .reply(status: 200, fields: ["Connection: close"], body: text) }

    /// Answers, and waits for another request on the same connection.
    static func stay(_ text: String) -> Self { .ok(text) }

    /// Answers with a status of redirection and a location. Header lines may follow.
    static func redirect(_ status: Int, _ location: String, _ more: [String] = []) -> Self {
        .reply(
            status: status, fields: ["Location: \(location)", "Connection: close"] + more, body: "it is elsewhere")
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String { last == suffix ? String(dropLast()) : self }
}
