// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import TestHosts

/// Collects the flags that callbacks tell.
typealias CallbackRecorder = ReceivedValues<ReachabilityFlags>

extension ReceivedValues<ReachabilityFlags> {
    /// Schedules a reference with a callback that records its flags here.
    func watch(_ reference: ReachabilityRef) throws {
        reference.setCallback { [self] in record($0) }
        try reference.setDispatchQueue(queue)
    }
}
