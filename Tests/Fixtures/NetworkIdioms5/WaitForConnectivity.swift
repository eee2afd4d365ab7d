// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit

// What `URLSessionConfiguration.waitsForConnectivity` does on Apple's systems.

extension URLSession {
    /// Performs a request as soon as its host can be reached. If it fails for lack of a connection all the same, it is
    /// performed again after the next change of the path.
    public func data(
        for request: URLRequest, waitingForConnectivity timeout: Duration
    ) async throws -> (Data, URLResponse) {
        guard let host = request.url?.host else { throw URLError(.badURL) }
        let reference = try ReachabilityRef(hostname: host)
        return try await withThrowingTaskGroup(of: (Data, URLResponse).self) { group in
            group.addTask {
                try await Task.sleep(for: timeout)
                throw URLError(.timedOut)
            }
            group.addTask {
                var paths = NWPathMonitor().makeAsyncIterator()
                // The present path is not a change.
                _ = await paths.next()
                while true {
                    try await reference.waitUntilReachable()
                    do {
                        return try await self.data(for: request)
                    } catch let error as URLError where error.isLackOfConnection {
                        guard await paths.next() != nil else { throw error }
                    }
                }
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw URLError(.unknown) }
            return answer
        }
    }
}

extension URLError {
    var isLackOfConnection: Bool {
        switch code {
        case .notConnectedToInternet, .networkConnectionLost, .cannotFindHost, .cannotConnectToHost,
            .dnsLookupFailed:
            true
        default: false
        }
    }
}
