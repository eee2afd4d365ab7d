// SPDX-License-Identifier: Apache-2.0

import Network
import TestHosts

/// Keeps a network's engine running, on a thread that sees the network's /sys.
struct Running {
    private let monitor: NWPathMonitor

    init(_ network: TestNetwork) throws {
        let (monitor, recorder) = network.watch()
        self.monitor = monitor
        try recorder.next()
    }

    func end() { monitor.cancel() }
}
