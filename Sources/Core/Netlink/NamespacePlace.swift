// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// A network namespace, and the way into it; without an identity, that of the calling thread.
package struct NamespacePlace: Sendable {
    let identity: NamespaceIdentity?
    let handle: NamespaceHandle?

    package init(identity: NamespaceIdentity?, handle: NamespaceHandle?) {
        (self.identity, self.handle) = (identity, handle)
    }

    /// Runs `body` on a thread that is in this namespace.
    package func inside<Value>(
        _ body: @escaping @Sendable () throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        guard let identity, !identity.isCurrent else { return try body() }
        // Without /proc there is no handle, and so no way back into a namespace that the caller has left.
        guard let handle else { throw .system(.open, .noSuchAddress) }
        let outcome: Result<Value, NetlinkError>
        do throws(Errno) {
            outcome = try handle.run { () throws(Errno) in
                Result { () throws(NetlinkError) -> Value in try body() }
            }
        } catch {
            throw .system(.open, error)
        }
        return try outcome.get()
    }
}
