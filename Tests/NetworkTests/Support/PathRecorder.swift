// SPDX-License-Identifier: Apache-2.0

import Network
import TestHosts

/// Collects the updates of a monitor.
typealias PathRecorder = ReceivedValues<NWPath>

extension ReceivedValues<NWPath> {
    /// Records the updates of a monitor.
    func watch(_ monitor: NWPathMonitor) {
        monitor.pathUpdateHandler = { [self] in record($0) }
    }
}
