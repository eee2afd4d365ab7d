// SPDX-License-Identifier: Apache-2.0

/// What a client can ask of a connection over TCP.
package struct ConnectionSettings: Hashable, Sendable {
    /// The longest that preparing may take; nil for as long as the kernel tries.
    package var timeLimit: Duration?
    /// Small writes leave at once (TCP_NODELAY).
    package var hasNoDelay = false
    /// The kernel asks an idle peer whether it is there.
    package var keepalive: Keepalive?

    /// Zeros leave what the system is set to.
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
