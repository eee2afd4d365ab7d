// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

@_implementationOnly import CTestTopology

/// Connects a UDP socket to learn whether there is a route. Shares nothing with this package, not even the kernel's interface.
/// Connecting looks up a route and sends nothing.
package final class ConnectedSocket {
    private let descriptor: Int32
    private let failure: Int32
    private let destination: String

    /// Makes the socket in the namespace of the calling thread, where it stays.
    package init(to destination: String, from source: String? = nil, mark: UInt32 = 0, user: UInt32 = 0) {
        let result =
            if let source {
                unsafe topology_udp_socket(destination, source, mark, user)
            } else {
                unsafe topology_udp_socket(destination, nil, mark, user)
            }
        (descriptor, failure) = result < 0 ? (-1, -result) : (result, 0)
        self.destination = destination
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Why no packet could be sent now; nil if one could, from an address that can receive answers.
    package func refusal() -> String? {
        guard failure == 0 else { return "no socket: \(Errno(rawValue: failure))" }
        var text = [CChar](repeating: 0, count: 128)
        let error = unsafe topology_udp_connect(descriptor, destination, &text, text.count)
        guard error == 0 else { return "\(Errno(rawValue: error))" }
        let source = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if ["0.0.0.0", "::"].contains(source) { return "no address to send from" }
        let isOwn = destination == source || Self.isLoopback(destination)
        return Self.isLoopback(source) && !isOwn ? "a loopback address to send from" : nil
    }

    private static func isLoopback(_ text: String) -> Bool { text == "::1" || text.hasPrefix("127.") }
}
