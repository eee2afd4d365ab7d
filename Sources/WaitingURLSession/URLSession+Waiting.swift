// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking

extension URLSession {
    /// Performs a request as soon as its host can be reached, and again after a change of the network if that made it fail.
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
        try await perform(request, limit, allowsExpensivePaths, isolation, whenWaiting) { finished in
            self.dataTask(with: request) { finished(Self.result($0, $1, $2)) }
        }
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
    /// is repeated only if it was not sent.
    public func upload(
        for request: URLRequest, from body: Data, waitingForConnectivity limit: Duration,
        allowsExpensivePaths: Bool = true, isolation: isolated (any Actor)? = #isolation,
        whenWaiting: (ConnectivityObstacle) -> Void = { _ in }
    ) async throws -> (Data, URLResponse) {
        try await perform(request, limit, allowsExpensivePaths, isolation, whenWaiting) { finished in
            self.uploadTask(with: request, from: body) { finished(Self.result($0, $1, $2)) }
        }
    }

    /// Uploads a file as soon as the host can be reached.
    public func upload(
        for request: URLRequest, fromFile file: URL, waitingForConnectivity limit: Duration,
        allowsExpensivePaths: Bool = true, isolation: isolated (any Actor)? = #isolation,
        whenWaiting: (ConnectivityObstacle) -> Void = { _ in }
    ) async throws -> (Data, URLResponse) {
        try await perform(request, limit, allowsExpensivePaths, isolation, whenWaiting) { finished in
            self.uploadTask(with: request, fromFile: file) { finished(Self.result($0, $1, $2)) }
        }
    }

    /// Downloads to a temporary file, which the caller removes, as soon as the host can be reached.
    public func download(
        for request: URLRequest, waitingForConnectivity limit: Duration, allowsExpensivePaths: Bool = true,
        isolation: isolated (any Actor)? = #isolation, whenWaiting: (ConnectivityObstacle) -> Void = { _ in }
    ) async throws -> (URL, URLResponse) {
        let (file, response) = try await perform(request, limit, allowsExpensivePaths, isolation, whenWaiting) {
            finished in
            self.downloadTask(with: request) { location, response, error in
                finished(
                    Self.result(location, response, error).flatMap { location, response in
                        // The file is removed when this returns.
                        Result { (try TemporaryFile(moving: location), response) }
                    })
            }
        }
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

    private func perform<Value: Sendable>(
        _ request: URLRequest, _ limit: Duration, _ allowsExpensive: Bool, _ isolation: isolated (any Actor)?,
        _ whenWaiting: (ConnectivityObstacle) -> Void, _ begin: @escaping WaitingTransfer<Value>.Begin
    ) async throws -> Value {
        let demands = NetworkDemands(
            allowsCellular: request.allowsCellularAccess && configuration.allowsCellularAccess,
            allowsExpensive: allowsExpensive)
        let transfer = WaitingTransfer(request: request, demands: demands, limit: limit, begin: begin)
        return try await transfer.value(isolation: isolation, whenWaiting: whenWaiting)
    }

    private static func result<Content>(
        _ content: Content?, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<(Content, URLResponse), any Error> {
        guard let content, let response, error == nil else { return .failure(error ?? URLError(.unknown)) }
        return .success((content, response))
    }
}
