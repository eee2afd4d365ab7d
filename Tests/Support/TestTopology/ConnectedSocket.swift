// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
package import ReachabilityLinuxSystem

/// Connects a socket to learn whether there is a route. Shares nothing with this package, not even the kernel's interface.
/// Connecting a UDP socket looks up a route and sends nothing. A TCP socket may send one segment.
package final class ConnectedSocket {
    package let descriptor: Int32
    private let failure: Int32
    private let destination: String

    package enum Transport: String, CaseIterable, Sendable {
        case tcp, udp
    }

    /// What a socket that is connected, or is about to be, tells of its route.
    package struct Way: Hashable, Sendable {
        package var source: String
        package var mtu: Int
    }

    /// Makes the socket in the namespace of the calling thread, where it stays.
    ///
    /// - Parameter user: the owner of the socket; nil for the file system user of the calling thread.
    package init(
        to destination: String, by transport: Transport = .udp, from source: String? = nil,
        through interface: String? = nil, mark: UInt32 = 0, user: UInt32? = 0
    ) {
        let type = Int32((transport == .tcp ? SOCK_STREAM : SOCK_DGRAM).rawValue)
        let result = unsafe withText(source) { source in
            unsafe withText(interface) { interface in
                unsafe topology_socket(destination, type, source, interface, mark, user ?? .max)
            }
        }
        (descriptor, failure) = result < 0 ? (-1, -result) : (result, 0)
        self.destination = destination
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Connects, and does not wait for an answer. The port is that of the discard service, unless one is given.
    package func connect(port: UInt16 = 9) -> Result<Way, Errno> {
        guard failure == 0 else { return .failure(Errno(rawValue: failure)) }
        var text = [CChar](repeating: 0, count: 128)
        var mtu: Int32 = 0
        let error = unsafe topology_connect(descriptor, destination, port, &text, text.count, &mtu)
        guard error == 0 else { return .failure(Errno(rawValue: error)) }
        let source = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return .success(Way(source: source, mtu: Int(mtu)))
    }

    /// Why no packet could be sent now; nil if one could, from an address that can receive answers.
    package func refusal() -> String? {
        switch connect() {
        case .failure(let error): return "\(error)"
        case .success(let way):
            if ["0.0.0.0", "::"].contains(way.source) { return "no address to send from" }
            let isOwn = destination == way.source || Self.isLoopback(destination)
            return Self.isLoopback(way.source) && !isOwn ? "a loopback address to send from" : nil
        }
    }

    package static func isLoopback(_ text: String) -> Bool { text == "::1" || text.hasPrefix("127.") }
}

/// Calls `body` with a C string, or with NULL.
private func withText<Value>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Value) -> Value {
    guard let text else { return body(nil) }
    return unsafe text.withCString { unsafe body($0) }
}

extension CallingThread {
    /// Runs `body` with a file system user, the owner of the sockets that the thread makes (setfsuid(2)).
    package static func asUserOfFiles<Value>(_ user: UInt32, _ body: () throws -> Value) rethrows -> Value {
        topology_become_user_of_files(user)
        defer { topology_become_user_of_files(geteuid()) }
        return try body()
    }
}
