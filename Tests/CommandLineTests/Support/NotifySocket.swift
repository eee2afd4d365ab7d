// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import Glibc
import ReachabilityLinuxSystem
import TestTopology

/// The service manager's end of the notify protocol (sd_notify(3)).
final class NotifySocket {
    private let descriptor: OwnedDescriptor
    /// The value of NOTIFY_SOCKET.
    let name: String
    /// Words before those of a program that tells this socket.
    var wrapper: [String] { ["env", "NOTIFY_SOCKET=\(name)"] }

    /// - Parameter name: a path, or a name in the abstract namespace behind "@".
    init(_ name: String, in topology: Machine) throws {
        self.name = name
        let bound = try topology.run { () throws(Errno) -> Int32 in
            let descriptor = try InternetSocket.open(family: AF_UNIX, type: Int32(SOCK_DGRAM.rawValue), protocol: 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = name.hasPrefix("@") ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            let rawValue = descriptor.rawValue
            let status = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(rawValue, $0, length) }
            }
            guard status == 0 else { throw Errno(rawValue: errno) }
            return descriptor.release()
        }
        descriptor = OwnedDescriptor(owning: bound)
    }

    deinit {
        if name.hasPrefix("/") { _ = unsafe unlink(name) }
    }

    /// Sends messages until there is no room for another, and returns how many.
    func fill(in topology: Machine) throws -> Int {
        let name = UnixSocket.Name.abstract(Array(name.utf8.dropFirst()))
        return try topology.run { () throws(Errno) in
            let sender = try InternetSocket.open(family: AF_UNIX, type: Int32(SOCK_DGRAM.rawValue), protocol: 0)
            try UnixSocket.connect(sender, to: name)
            var count = 0
            while true {
                do throws(Errno) {
                    _ = try StreamSocket.write(sender, Array("full".utf8))
                    count += 1
                } catch {
                    guard error == .wouldBlock else { throw error }
                    return count
                }
            }
        }
    }

    struct NoMessage: Error {}

    /// The next message.
    func next() throws -> String {
        guard topology_wait_readable(descriptor.rawValue, 60_000) > 0 else { throw NoMessage() }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor.rawValue, &buffer, buffer.count, 0)
        guard count > 0 else { throw NoMessage() }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}
