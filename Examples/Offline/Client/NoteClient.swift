// SPDX-License-Identifier: Apache-2.0

public import Foundation
import FoundationNetworking
import ReachabilityKit

/// Sends notes to a server. While there is no way to the server, a note waits.
public struct NoteClient: Sendable {
    /// Why a note was not sent, though something answered.
    public enum Failure: Error {
        /// Another server answered, as a captive portal does.
        case redirected(to: URL)
        /// The server did not take the note.
        case refused(status: Int)
    }

    private let server: URL
    private let session: URLSession
    private let isWaiting: @Sendable () -> Void

    /// - Parameters:
    ///   - patience: how many seconds the server may be silent.
    ///   - isWaiting: called when a note begins to wait, so that the app can say so.
    public init(server: URL, patience: TimeInterval = 30, isWaiting: @escaping @Sendable () -> Void = {}) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = patience
        session = URLSession(configuration: configuration)
        (self.server, self.isWaiting) = (server, isWaiting)
    }

    /// Returns what the server says.
    ///
    /// - Throws: `URLError` if the server can be reached and does not answer, and ``Failure`` if it answers something else.
    public func send(_ note: String) async throws -> String {
        let way = try ReachabilityRef(hostname: server.host ?? "")
        while true {
            do {
                return try await attempt(note)
            } catch {
                guard error is URLError, try await !way.flags().isReachable else { throw error }
                isWaiting()
                try await way.waitUntilReachable()
            }
        }
    }

    private func attempt(_ note: String) async throws -> String {
        var request = URLRequest(url: server.appending(path: "notes"))
        request.httpMethod = "POST"
        request.httpBody = Data(note.utf8)
        let (data, response) = try await session.data(for: request)
        if let place = response.url, place.host != server.host { throw Failure.redirected(to: place) }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else { throw Failure.refused(status: status) }
        return String(decoding: data, as: UTF8.self)
    }
}
