// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The options of one protocol.
public class NWProtocolOptions: @unchecked Sendable {
    init() {}
}

/// A protocol.
public class NWProtocol {}

/// The Transmission Control Protocol.
public final class NWProtocolTCP: NWProtocol {
    /// The options of TCP. A connection copies them when it is made.
    public final class Options: NWProtocolOptions, @unchecked Sendable {  // the values are behind a lock
        struct Values: Sendable {
            var noDelay = false
            var enableKeepalive = false
            var keepaliveCount = 0
            var keepaliveIdle = 0
            var keepaliveInterval = 0
            var connectionTimeout = 0
        }

        private let locked = Mutex(Values())
        var values: Values { locked.withLock(\.self) }

        /// Makes options with the system's settings.
        override public init() {}

        /// Whether small writes leave at once, without waiting for more (TCP_NODELAY).
        public var noDelay: Bool {
            get { locked.withLock(\.noDelay) }
            set { locked.withLock { $0.noDelay = newValue } }
        }

        /// Whether the kernel probes an idle peer (SO_KEEPALIVE).
        public var enableKeepalive: Bool {
            get { locked.withLock(\.enableKeepalive) }
            set { locked.withLock { $0.enableKeepalive = newValue } }
        }

        /// How many probes may stay unanswered; 0 for the system's setting.
        public var keepaliveCount: Int {
            get { locked.withLock(\.keepaliveCount) }
            set { locked.withLock { $0.keepaliveCount = newValue } }
        }

        /// How many seconds the peer is idle before the first probe; 0 for the system's setting.
        public var keepaliveIdle: Int {
            get { locked.withLock(\.keepaliveIdle) }
            set { locked.withLock { $0.keepaliveIdle = newValue } }
        }

        /// How many seconds pass between probes; 0 for the system's setting.
        public var keepaliveInterval: Int {
            get { locked.withLock(\.keepaliveInterval) }
            set { locked.withLock { $0.keepaliveInterval = newValue } }
        }

        /// How many seconds one attempt to connect may take, including the resolution of the name. Then the connection
        /// goes to `waiting`. 0 for as long as the kernel tries, which is about two minutes.
        public var connectionTimeout: Int {
            get { locked.withLock(\.connectionTimeout) }
            set { locked.withLock { $0.connectionTimeout = newValue } }
        }
    }
}
