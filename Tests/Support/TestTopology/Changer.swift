// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Makes changes by netlink. Each has taken effect when `apply` returns, because the kernel processes a request inside send(2).
///
/// Used by one thread at a time. The socket stays in the namespace in which it was made.
package final class Changer {
    private let transport: KernelTransport
    private let buffer = ReceiveBuffer(capacity: 4096)

    package init(in topology: Topology) throws(Errno) {
        transport = try topology.run { () throws(Errno) in try KernelTransport() }
    }

    /// Makes one change. Throws the kernel's error if it refuses.
    package func apply(_ change: Change) throws(Errno) {
        try transport.send(RawSpan(_elements: change.message.span))
        _ = try transport.receive(into: buffer, slots: 1)
        var number: Int32 = 0
        do throws(WireError) {
            _ = try buffer.read(0, of: 1) { (bytes) throws(WireError) in
                // struct nlmsgerr follows the header: an error number, 0 for an acknowledgement.
                number = try bytes.load(at: 16)
            }
        } catch {
            throw .badMessage
        }
        if number != 0 { throw Errno(rawValue: -number) }
    }
}

extension Topology {
    /// Makes one change. A loop should use a `Changer`.
    package func apply(_ change: Change) throws {
        try Changer(in: self).apply(change)
    }
}
