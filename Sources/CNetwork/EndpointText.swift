// SPDX-License-Identifier: Apache-2.0

import LinuxLibc
import LinuxSystem
import NetworkFacts
import ReachabilityKit

extension EndpointHandle {
    /// Reads an address, or else takes the text as a name.
    convenience init(host: String, port: UInt16) {
        let mark = host.lastIndex(of: "%")
        let zone = mark.map { String(host[host.index(after: $0)...]) }
        if let address = IPv4Address(lenient: host[...]) {
            self.init(.v4(address), zone: nil, port: port)
        } else if let address = IPv6Address(mark.map { host[..<$0] } ?? host[...]) {
            let number = zone.flatMap { Interfaces.index(of: $0) ?? UInt32($0) }
            self.init(.v6(address, scope: number.flatMap(InterfaceIndex.init)), zone: zone, port: port)
        } else {
            self.init(name: host, port: port)
        }
    }
}

extension IPAddress {
    /// The name of the interface on whose link the address is valid, or its number if it has no name now.
    var zone: String? {
        scope.map { Interfaces.name(of: $0.rawValue) ?? String($0.rawValue) }
    }
}

/// A port as text.
enum ServicePort {
    /// A number, or that of a service in /etc/services; 0 if it is neither.
    static func number(_ text: String) -> UInt16 {
        if let number = UInt16(text) { return number }
        var entry = unsafe servent()
        var result: UnsafeMutablePointer<servent>?
        var buffer = [CChar](repeating: 0, count: 4096)
        guard unsafe getservbyname_r(text, nil, &entry, &buffer, buffer.count, &result) == 0, unsafe result != nil
        else { return 0 }
        return unsafe UInt16(bigEndian: UInt16(truncatingIfNeeded: entry.s_port))
    }
}
