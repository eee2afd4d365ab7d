// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration
import TestHosts

/// Collects the flags of callbacks.
typealias Calls = ReceivedValues<SCNetworkReachabilityFlags>

/// Whether a call has failed, as calls with an invalid argument do.
func isRefused(_ succeeds: Bool) -> Bool { !succeeds && SCError() == Int32(kSCStatusInvalidArgument) }
