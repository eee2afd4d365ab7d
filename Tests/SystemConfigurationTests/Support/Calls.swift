// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemConfiguration
import TestHosts

/// Collects the flags of callbacks.
typealias Calls = ReceivedValues<SCNetworkReachabilityFlags>

/// Whether a call has failed, as calls with an invalid argument do.
func isRefused(_ succeeds: Bool) -> Bool { !succeeds && SCError() == Int32(kSCStatusInvalidArgument) }

/// Counts calls of a context's functions.
final class Counter: Sendable {
    private let value = Atomic(0)

    func increment() { value.add(1, ordering: .relaxed) }
    var count: Int { value.load(ordering: .relaxed) }
}
