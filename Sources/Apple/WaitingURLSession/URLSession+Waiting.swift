// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking
import ReachabilityKit

extension URLSession {
    /// Performs a request as soon as its host can be reached, and again after a change of the network if that made it fail.
    /// Each hop of a redirect is a request of its own.
    ///
    /// ```swift
    /// let (data, _) = try await session.data(for: request, waitingForConnectivity: .seconds(30))
    /// ```
    ///
    /// - Parameters:
    ///   - request: the request. Its `timeoutInterval` counts for each attempt.
    ///   - limit: the time for everything: waiting, all attempts, and the transfer.
    ///   - allowsExpensivePaths: whether a mobile network, or one that NetworkManager calls metered, may be used.
    ///   - isolation: where `whenWaiting` is called: as the caller is isolated.
    ///   - whenWaiting: called when a wait begins, with its reason.
    /// - Throws: `URLError`: `timedOut` when the time is up, `cancelled` at once when the task is cancelled, and otherwise
    ///   the error of the last attempt.
    public func data(
        for request: URLRequest, waitingForConnectivity limit: Duration, allowsExpensivePaths: Bool = true,
        isolation: isolated (any Actor)? = #isolation, whenWaiting: (ConnectivityObstacle) -> Void = { _ in }
    ) async throws -> (Data, URLResponse) {
        try await load(request, nil, limit, allowsExpensivePaths, isolation, whenWaiting)
    }

    /// Loads a URL as ``data(for:waitingForConnectivity:allowsExpensivePaths:isolation:whenWaiting:)`` does.
    public func data(
        from url: URL, waitingForConnectivity limit: Duration, allowsExpensivePaths: Bool = true,
        isolation: isolated (any Actor)? = #isolation, whenWaiting: (ConnectivityObstacle) -> Void = { _ in }
    ) async throws -> (Data, URLResponse) {
        try await data(
            for: URLRequest(url: url), waitingForConnectivity: limit, allowsExpensivePaths: allowsExpensivePaths,
            isolation: isolation, whenWaiting: whenWaiting)
    }

    /// Uploads data as soon as the host can be reached. A request that is not idempotent (RFC 9110 9.2.2), such as a POST,
    /// is repeated only if no byte of it has left.
    public func upload(
        for request: URLRequest, from body: Data, waitingForConnectivity limit: Duration,
        allowsExpensivePaths: Bool = true, isolation: isolated (any Actor)? = #isolation,
        whenWaiting: (ConnectivityObstacle) -> Void = { _ in }
    ) async throws -> (Data, URLResponse) {
        try await load(request, .data(body), limit, allowsExpensivePaths, isolation, whenWaiting)
    }

    /// Uploads a file as soon as the host can be reached.
    public func upload(
        for request: URLRequest, fromFile file: URL, waitingForConnectivity limit: Duration,
        allowsExpensivePaths: Bool = true, isolation: isolated (any Actor)? = #isolation,
        whenWaiting: (ConnectivityObstacle) -> Void = { _ in }
    ) async throws -> (Data, URLResponse) {
        try await load(request, .file(file), limit, allowsExpensivePaths, isolation, whenWaiting)
    }

    /// Downloads to a temporary file, which the caller removes, as soon as the host can be reached.
    public func download(
        for request: URLRequest, waitingForConnectivity limit: Duration, allowsExpensivePaths: Bool = true,
        isolation: isolated (any Actor)? = #isolation, whenWaiting: (ConnectivityObstacle) -> Void = { _ in }
    ) async throws -> (URL, URLResponse) {
        let transport = Transport(
            task: { _, hop, finished in
                self.alone(try FileDownload(for: self, finished), isKept: false) { $0.dataTask(with: hop.request) }
            }, empty: { try FileDownload() })
        let (file, response) = try await transfer(allowsExpensivePaths, transport).result(
            of: Hop(request: request, body: nil), within: limit, isolation: isolation, whenWaiting: whenWaiting)
        return (file.release(), response)
    }

    /// Downloads a URL in the same way.
    public func download(
        from url: URL, waitingForConnectivity limit: Duration, allowsExpensivePaths: Bool = true,
        isolation: isolated (any Actor)? = #isolation, whenWaiting: (ConnectivityObstacle) -> Void = { _ in }
    ) async throws -> (URL, URLResponse) {
        try await download(
            for: URLRequest(url: url), waitingForConnectivity: limit, allowsExpensivePaths: allowsExpensivePaths,
            isolation: isolation, whenWaiting: whenWaiting)
    }

    private func load(
        _ request: URLRequest, _ body: Hop.Body?, _ limit: Duration, _ allowsExpensive: Bool,
        _ isolation: isolated (any Actor)?, _ whenWaiting: (ConnectivityObstacle) -> Void
    ) async throws -> (Data, URLResponse) {
        let transport = Transport(
            task: { kept, hop, finished in
                let completion = { @Sendable in finished(Self.result($0, $1, $2)) }
                let make = { (session: URLSession) in
                    switch hop.body {
                    case nil: session.dataTask(with: hop.request, completionHandler: completion)
                    case .data(let data):
                        session.uploadTask(with: hop.request, from: data, completionHandler: completion)
                    case .file(let file):
                        session.uploadTask(with: hop.request, fromFile: file, completionHandler: completion)
                    }
                }
                return kept.map(make) ?? self.alone(AttemptDelegate(for: self), make)
            }, empty: { Data() })
        return try await transfer(allowsExpensive, transport).result(
            of: Hop(request: request, body: body), within: limit, isolation: isolation, whenWaiting: whenWaiting)
    }

    private func transfer<Content>(
        _ allowsExpensive: Bool, _ transport: Transport<Content>
    ) -> WaitingTransfer<Content> {
        let conditions = RequestGate.Conditions(
            allowsExpensive: allowsExpensive, prohibitedKinds: configuration.allowsCellularAccess ? [] : [.cellular])
        return WaitingTransfer(session: self, conditions: conditions, transport: transport)
    }

    /// Makes a task in a session like this one, which ends with the task.
    ///
    /// - Parameter isKept: whether the content may be kept in memory, as FoundationNetworking keeps what it may cache.
    private func alone(
        _ delegate: any URLSessionDelegate, isKept: Bool = true, _ make: (URLSession) -> URLSessionDataTask
    ) -> URLSessionDataTask {
        let copy = configuration
        if !isKept { copy.urlCache = nil }
        let session = URLSession(configuration: copy, delegate: delegate, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        return make(session)
    }

    private static func result(
        _ content: Data?, _ response: URLResponse?, _ error: (any Error)?
    )
        -> Transport<Data>.Outcome
    {
        guard let content, let response, error == nil else { return .failure(error ?? URLError(.unknown)) }
        return .success((content, response))
    }
}

/// Why a request waits.
public enum ConnectivityObstacle: Hashable, Sendable, CustomStringConvertible {
    /// The host cannot be reached, or its name cannot be resolved. With a proxy, this is about the proxy.
    case unreachable
    /// A mobile network leads to the host, or to one of its addresses, which the request or the session does not allow.
    case cellular
    /// A mobile network, or one that NetworkManager calls metered, leads to the host, or to one of its addresses.
    case expensive
    /// An attempt has failed although the host seemed to be reachable. The request waits for a change of the network.
    case failed(URLError.Code)

    /// The obstacle in words, to follow a colon.
    public var description: String {
        switch self {
        case .unreachable: "the host cannot be reached"
        case .cellular: "a mobile network leads to the host"
        case .expensive: "an expensive network leads to the host"
        case .failed(let code):
            "the last attempt failed with the code \(code.rawValue), and the network has not changed"
        }
    }
}
