// SPDX-License-Identifier: Apache-2.0

import Network
import TestHosts

/// Collects the updates of a monitor.
typealias PathRecorder = Arrivals<NWPath>

extension Arrivals<NWPath> {
    /// Records the updates of a monitor.
    func watch(_ monitor: NWPathMonitor) {
        monitor.pathUpdateHandler = { [self] in record($0) }
    }
}
