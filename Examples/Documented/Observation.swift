// SPDX-License-Identifier: Apache-2.0

// The code about observable objects in Docs/Porting.md, compiled here.

import Network
import Observation

@MainActor @Observable
final class PathModel {
    private(set) var isConnected = false

    func follow() async {
        for await path in NWPathMonitor() { isConnected = path.status == .satisfied }
    }
}
