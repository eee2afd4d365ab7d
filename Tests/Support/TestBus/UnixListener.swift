// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReachabilityLinuxSystem

/// A listening Unix socket. It belongs to the network namespace of the thread that makes it. Its path belongs to the
/// mount namespace of the thread that binds it.
package final class UnixListener: Sendable {
    private let descriptor: Int32

    package init() {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    deinit {
        close(descriptor)
    }

    package func listen(at name: UnixSocket.Name, backlog: Int32 = 16) throws(Errno) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes: [UInt8] =
            switch name {
            case .path(let path): path + [0]
            case .abstract(let name): [0] + name
            }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
        }
        guard status == 0, Glibc.listen(descriptor, backlog) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Waits for a client. Nil once `stop` was called.
    package func accept() -> Int32? {
        let client = Glibc.accept(descriptor, nil, nil)
        return client >= 0 ? client : nil
    }

    /// Accepts no more clients.
    package func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
