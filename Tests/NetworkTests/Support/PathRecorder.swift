// SPDX-License-Identifier: Apache-2.0

import Network
import TestHosts

/// Collects the updates of a monitor.
typealias PathRecorder = ReceivedValues<NWPath>

extension ReceivedValues<NWPath> {
    /// Has a monitor tell this recorder.
    func watch(_ monitor: NWPathMonitor) {
        monitor.pathUpdateHandler = { [self] in record($0) }
    }
}
