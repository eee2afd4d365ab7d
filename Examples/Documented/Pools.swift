// SPDX-License-Identifier: Apache-2.0

// The code about pools of connections in pages, compiled here.

import FoundationNetworking
import ReachabilityKit
import Synchronization

final class Web: Sendable {
    private let present = Mutex(URLSession(configuration: .default))

    var session: URLSession { present.withLock(\.self) }

    func followNetwork() async throws {
        var known: NetworkPath.Identity?
        for try await path in NetworkPath.changes {
            if let known, known != path.identity {
                let old = present.withLock { session in
                    defer { session = URLSession(configuration: .default) }
                    return session
                }
                old.finishTasksAndInvalidate()  // what is running goes on
            }
            known = path.identity
        }
    }
}
