// SPDX-License-Identifier: Apache-2.0

// The code about ServiceLifecycle in pages. A test compiles it with a stand-in for that package.

import ReachabilityKit
import ServiceLifecycle

struct NetworkService: Service {
    let host: ReachabilityRef

    func run() async throws {
        for try await flags in host.flagChanges.cancelOnGracefulShutdown() { print(flags) }
    }
}
