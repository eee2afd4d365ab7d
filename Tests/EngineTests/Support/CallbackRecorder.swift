// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import TestHosts

/// Collects what callbacks say.
typealias CallbackRecorder = ReceivedValues<ReachabilityFlags>

extension ReceivedValues<ReachabilityFlags> {
    /// Schedules a reference so that its callbacks end up here.
    func watch(_ reference: ReachabilityRef) throws {
        reference.setCallback { [self] in record($0) }
        try reference.setDispatchQueue(queue)
    }
}
