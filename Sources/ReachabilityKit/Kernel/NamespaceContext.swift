// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import Netlink
import Synchronization

/// One network namespace as this process sees it, shared by all references made in it.
///
/// The sockets are opened when first needed, and stay. Where that fails the next call tries again. In the child of a
/// fork the parent's sockets are left alone and the child opens its own.
package final class NamespaceContext: Sendable {
    /// Nil where neither /proc nor a socket tells in which namespace the caller is; such a stack is not shared.
    package let identity: NamespaceIdentity?
    let handle: NamespaceHandle?
    private let epoch = ForkEpoch.current
    let deviceTypes: DeviceTypes
    private let access = AtomicLazyReference<KernelAccess>()
    package let sharedEngine = SharedEngine()
    package let resolvers = ResolverPool()

    package init(identity: NamespaceIdentity?, handle: NamespaceHandle?, deviceTypes: DeviceTypes = DeviceTypes()) {
        self.identity = identity
        self.handle = handle
        self.deviceTypes = deviceTypes
    }

    /// Whether this was made in this process, and not in one that it was forked from.
    var isThisProcess: Bool { epoch == ForkEpoch.current }

    /// The sockets, where they are open and this process's own. Costs two loads.
    package var openKernel: KernelAccess? {
        guard let access = access.load(), access.isUsable else { return nil }
        return access
    }

    /// The sockets, opened now where they are not yet.
    package func kernel() throws(ReachabilityError) -> KernelAccess {
        if let access = openKernel { return access }
        if !isThisProcess { return try NamespaceRegistry.current.adoption(of: self).kernel() }
        do throws(NetlinkError) {
            return access.storeIfNil(try inside { () throws(NetlinkError) in try self.opened() })
        } catch {
            throw ReachabilityError(error)
        }
    }

    private func opened() throws(NetlinkError) -> KernelAccess {
        let look = { [handle] () throws(Errno) in try SocketDefaults(in: handle) }
        return try KernelAccess(deviceTypes: deviceTypes, socketDefaults: look) {
            [weak self] () throws(NetlinkError) in
            guard let self else { throw .system(.open, .badDescriptor) }
            return try inside { () throws(NetlinkError) in try NetlinkRequester() }
        }
    }

    /// The same namespace, for the child of a fork.
    func forChild() -> NamespaceContext {
        NamespaceContext(identity: identity, handle: handle, deviceTypes: deviceTypes)
    }

    /// Runs `body` on a thread that is in this namespace.
    package func inside<Value>(
        _ body: @escaping @Sendable () throws(NetlinkError) -> Value
    ) throws(NetlinkError) -> Value {
        guard let identity, !identity.isCurrent else { return try body() }
        // Without a handle there is no way back into a namespace the caller has left. So it is where there was no /proc.
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
