// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemConfiguration
import TestHosts

/// Collects the flags of callbacks.
typealias Calls = ReceivedValues<SCNetworkReachabilityFlags>

/// Counts calls of a context's functions.
final class Counter: Sendable {
    private let value = Atomic(0)

    func increment() { value.add(1, ordering: .relaxed) }
    var count: Int { value.load(ordering: .relaxed) }
}
