// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Finds the bus that speaks of a network namespace.
package enum BusSocket {
    /// What came of it. The descriptor is to be owned by whoever takes it.
    package enum Outcome: Hashable, Sendable {
        case connected(Int32)
        /// There is no bus, or it takes nobody now.
        case absent
        /// There is one, and it belongs to another network namespace: what it says of networks is about others.
        case elsewhere
    }

    /// Connects to the first socket that takes us, in the calling thread's namespaces. Does not wait, and says nothing.
    package static func connect(to names: [UnixSocket.Name]) -> Outcome {
        for name in names {
            guard let descriptor = try? UnixSocket.open(), (try? UnixSocket.connect(descriptor, to: name)) != nil
            else { continue }
            return isHere(descriptor, name) ? .connected(descriptor.release()) : .elsewhere
        }
        return .absent
    }

    /// A name without a file is known in its own namespace only. A path may lead anywhere; what its listener is bound to
    /// may also be another, where the file was mounted here from somewhere else.
    private static func isHere(_ descriptor: borrowing OwnedDescriptor, _ name: UnixSocket.Name) -> Bool {
        guard case .path = name else { return true }
        guard case .path(let bound)? = try? UnixSocket.peerName(descriptor) else { return false }
        return UnixSocketTable.ofCallingThread()?.hasListener(at: bound) == true
    }
}
