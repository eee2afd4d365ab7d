// SPDX-License-Identifier: Apache-2.0

import HostResolution
import LinuxSystem

func v4(_ text: String) -> IPAddress { .v4(IPv4Address(strict: text)!) }
func v6(_ text: String) -> IPAddress { .v6(IPv6Address(text)!) }
func host(_ text: String) -> HostName { HostName(lenient: text) }

extension Resolver {
    func resolve(
        _ name: HostName, on loop: EventLoop, deadline: BootTime, enough: @escaping @Sendable ([IPAddress]) -> Bool,
        progress: @escaping @Sendable ([IPAddress]) -> Void = { _ in },
        completion: @escaping @Sendable (Resolution) -> Void
    ) -> CancellationToken {
        resolve(
            NameQuery(name), on: loop, deadline: deadline, enough: enough, progress: progress, completion: completion)
    }

    /// Resolves with a distant deadline. No addresses are enough before both families have answered.
    func all(_ name: String) -> Resolution {
        resolve(host(name), deadline: SystemTime().now().advanced(by: .seconds(30))) { _ in false }
    }
}
