// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Connects to the bus that belongs to a network namespace.
package enum BusSocket {
    /// The caller owns the descriptor.
    package enum Outcome: Hashable, Sendable {
        case connected(Int32)
        /// There is no bus, or it accepts no connection now.
        case absent
        /// There is a bus, but it belongs to another network namespace and describes other networks.
        case elsewhere
    }

    /// Connects to the first socket that accepts, in the calling thread's namespaces. Does not wait, and sends nothing.
    package static func connect(to names: [UnixSocket.Name]) -> Outcome {
        for name in names {
            guard let descriptor = try? UnixSocket.open(), (try? UnixSocket.connect(descriptor, to: name)) != nil
            else { continue }
            return isHere(descriptor, name) ? .connected(descriptor.release()) : .elsewhere
        }
        return .absent
    }

    /// An abstract name exists in its own namespace only. A path may lead to a socket of any namespace. If the file was
    /// mounted here from elsewhere, its listener is bound to another path, so the peer's name is used.
    private static func isHere(_ descriptor: borrowing OwnedDescriptor, _ name: UnixSocket.Name) -> Bool {
        guard case .path = name else { return true }
        guard case .path(let bound)? = try? UnixSocket.peerName(descriptor) else { return false }
        return UnixSocketTable.ofCallingThread()?.hasListener(at: bound) == true
    }
}
