// SPDX-License-Identifier: Apache-2.0

import Glibc
import Network

/// A TCP socket of this process, as the kernel sees it.
struct KernelSocket {
    private let descriptor: Int32

    /// Finds the socket of an established connection by the ports of both ends; nil if there is none.
    init?(_ connection: NWConnection) {
        guard let path = connection.currentPath, case .hostPort(_, let local)? = path.localEndpoint,
            case .hostPort(_, let remote)? = path.remoteEndpoint
        else { return nil }
        let found = (0..<Int32(4096)).first { descriptor in
            unsafe Self.port(descriptor, getsockname) == local.rawValue
                && Self.port(descriptor, getpeername) == remote.rawValue
        }
        guard let found else { return nil }
        descriptor = found
    }

    /// An option's value (getsockopt(2)).
    func option(_ level: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, level, name, &value, &length) == 0 ? value : nil
    }

    private typealias Naming = (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32

    private static func port(_ descriptor: Int32, _ name: Naming) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe name(descriptor, $0, &length) }
        }
        // The port has the same offset in both families.
        guard status == 0, [AF_INET, AF_INET6].contains(Int32(address.sin_family)) else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }
}
