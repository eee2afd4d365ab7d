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

        /// Whether small writes are sent at once, without waiting for more data (TCP_NODELAY).
        public var noDelay: Bool {
            get { locked.withLock(\.noDelay) }
            set { locked.withLock { $0.noDelay = newValue } }
        }

        /// Whether the kernel probes an idle peer (SO_KEEPALIVE).
        public var enableKeepalive: Bool {
            get { locked.withLock(\.enableKeepalive) }
            set { locked.withLock { $0.enableKeepalive = newValue } }
        }

        /// How many probes may remain unanswered; 0 for the system's setting.
        public var keepaliveCount: Int {
            get { locked.withLock(\.keepaliveCount) }
            set { locked.withLock { $0.keepaliveCount = newValue } }
        }

        /// How many seconds the peer may be idle before the first probe; 0 for the system's setting.
        public var keepaliveIdle: Int {
            get { locked.withLock(\.keepaliveIdle) }
            set { locked.withLock { $0.keepaliveIdle = newValue } }
        }

        /// How many seconds pass between probes; 0 for the system's setting.
        public var keepaliveInterval: Int {
            get { locked.withLock(\.keepaliveInterval) }
            set { locked.withLock { $0.keepaliveInterval = newValue } }
        }

        /// How many seconds an attempt to connect may take, including resolving the name. After that, the connection goes to
        /// `waiting`. 0 means as long as the kernel tries, which is about two minutes.
        public var connectionTimeout: Int {
            get { locked.withLock(\.connectionTimeout) }
            set { locked.withLock { $0.connectionTimeout = newValue } }
        }
    }
}
