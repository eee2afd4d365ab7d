// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

extension NWEndpoint {
    /// A TCP or UDP port.
    public struct Port: Hashable, Sendable, CustomDebugStringConvertible, ExpressibleByIntegerLiteral,
        RawRepresentable
    {
        /// Any port: 0.
        public static let any: Port = 0
        /// 22.
        public static let ssh: Port = 22
        /// 25.
        public static let smtp: Port = 25
        /// 80.
        public static let http: Port = 80
        /// 110.
        public static let pop: Port = 110
        /// 143.
        public static let imap: Port = 143
        /// 443.
        public static let https: Port = 443
        /// 993.
        public static let imaps: Port = 993
        /// 1080.
        public static let socks: Port = 1080

        /// The port's number.
        public let rawValue: UInt16

        /// Makes a port from its number.
        public init?(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// Makes a port from its number.
        public init(integerLiteral value: UInt16) {
            rawValue = value
        }

        /// Reads a number, or the name of a service in `/etc/services`; nil if it is neither.
        public init?(_ service: String) {
            if let number = UInt16(service) {
                rawValue = number
                return
            }
            guard let number = Self.number(of: service) else { return nil }
            rawValue = number
        }

        private static func number(of service: String) -> UInt16? {
            var entry = unsafe servent()
            var result: UnsafeMutablePointer<servent>?
            var buffer = [CChar](repeating: 0, count: 4096)
            guard unsafe getservbyname_r(service, nil, &entry, &buffer, buffer.count, &result) == 0,
                unsafe result != nil
            else {
                return nil
            }
            return unsafe UInt16(bigEndian: UInt16(truncatingIfNeeded: entry.s_port))
        }

        /// The number.
        public var debugDescription: String { "\(rawValue)" }
    }
}
