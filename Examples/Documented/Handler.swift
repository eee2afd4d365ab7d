// SPDX-License-Identifier: Apache-2.0

// The new code in Docs/Porting.md, compiled here.

import ReachabilityKit

func isConnectedToNetwork() -> Bool {
    (try? ReachabilityRef.defaultPath().getFlags().isReachable) ?? false
}

final class Handler: Sendable {
    private let reference: ReachabilityRef

    init(host: String) throws {
        reference = try ReachabilityRef(hostname: host)
    }

    func run() async throws {
        for try await flags in reference.flagChanges {
            print(flags.isReachable ? "reachable" : "not reachable")
        }
    }
}
