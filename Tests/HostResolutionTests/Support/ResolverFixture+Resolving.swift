// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem
import NetworkFacts

func v4(_ text: String) -> IPAddress { .v4(IPv4Address(strict: text)!) }
func v6(_ text: String) -> IPAddress { .v6(IPv6Address(text)!) }
func host(_ text: String) -> HostName { HostName(lenient: text) }

extension Resolver {
    /// Resolves with a distant deadline. No addresses are enough before both families have answered.
    func all(_ name: String) -> Resolution {
        resolve(host(name), deadline: SystemTime().now().advanced(by: .seconds(30))) { _ in false }
    }
}
