// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// The settings of a TCP connection.
package struct ConnectionSettings: Hashable, Sendable {
    /// The longest that preparing may take; nil for as long as the kernel tries.
    package var timeLimit: Duration?
    /// Whether small writes leave at once (TCP_NODELAY).
    package var hasNoDelay = false
    /// Whether and how the kernel probes an idle peer.
    package var keepalive: Keepalive?

    /// The address and port to connect from; nil for the kernel's choice. An address of zeros stands for any address.
    package var localEnd: StreamSocket.End?
    /// Whether other sockets may have the same local end.
    package var allowsReuse = false

    /// Zero stands for the system's setting.
    package struct Keepalive: Hashable, Sendable {
        package var idleSeconds: Int32
        package var intervalSeconds: Int32
        package var count: Int32

        package init(idleSeconds: Int32 = 0, intervalSeconds: Int32 = 0, count: Int32 = 0) {
            self.idleSeconds = idleSeconds
            self.intervalSeconds = intervalSeconds
            self.count = count
        }
    }

    package init() {}
}
