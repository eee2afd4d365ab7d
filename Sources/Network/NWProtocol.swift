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
    /// What can be asked of TCP. A connection takes the options as they are when it is made.
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

        /// The options as the system has them.
        override public init() {}

        /// Whether small writes leave at once, without waiting for more (TCP_NODELAY).
        public var noDelay: Bool {
            get { locked.withLock(\.noDelay) }
            set { locked.withLock { $0.noDelay = newValue } }
        }

        /// Whether an idle peer is asked whether it is there (SO_KEEPALIVE).
        public var enableKeepalive: Bool {
            get { locked.withLock(\.enableKeepalive) }
            set { locked.withLock { $0.enableKeepalive = newValue } }
        }

        /// How many questions may stay unanswered; 0 for the system's number.
        public var keepaliveCount: Int {
            get { locked.withLock(\.keepaliveCount) }
            set { locked.withLock { $0.keepaliveCount = newValue } }
        }

        /// After how many idle seconds the first question is asked; 0 for the system's number.
        public var keepaliveIdle: Int {
            get { locked.withLock(\.keepaliveIdle) }
            set { locked.withLock { $0.keepaliveIdle = newValue } }
        }

        /// How many seconds lie between questions; 0 for the system's number.
        public var keepaliveInterval: Int {
            get { locked.withLock(\.keepaliveInterval) }
            set { locked.withLock { $0.keepaliveInterval = newValue } }
        }

        /// After how many seconds a connection that is not there yet waits instead; 0 for as long as the kernel tries,
        /// which is about two minutes. Finding the addresses of a name is part of that time.
        public var connectionTimeout: Int {
            get { locked.withLock(\.connectionTimeout) }
            set { locked.withLock { $0.connectionTimeout = newValue } }
        }
    }
}

/// The User Datagram Protocol. A connection that asks for it fails: it is not offered here.
public final class NWProtocolUDP: NWProtocol {
    /// What can be asked of UDP.
    public final class Options: NWProtocolOptions, @unchecked Sendable {  // it has no state
        /// The options as the system has them.
        override public init() {}
    }
}

/// Transport Layer Security. A connection that asks for it fails: it is not offered here.
public final class NWProtocolTLS: NWProtocol {
    /// What can be asked of TLS.
    public final class Options: NWProtocolOptions, @unchecked Sendable {  // it has no state
        /// The options as the system has them.
        override public init() {}
    }
}
