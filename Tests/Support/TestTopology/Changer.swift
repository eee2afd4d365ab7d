// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Netlink

/// Makes changes by netlink, each of which has taken effect when `apply` returns: the kernel works a request off
/// inside send(2), and its acknowledgement waits when that returns.
///
/// Used by one thread at a time, whichever: the socket stays in the namespace it was made in.
package final class Changer {
    private let transport: KernelTransport
    private let buffer = ReceiveBuffer(capacity: 4096)

    package init(in topology: Topology) throws(TopologyError) {
        do throws(Errno) {
            transport = try topology.run { () throws(Errno) in try KernelTransport() }
        } catch {
            throw .system("open a netlink socket", error)
        }
    }

    /// Makes one change; throws the kernel's error where it refuses.
    package func apply(_ change: Change) throws(Errno) {
        unsafe try transport.send(change.message.span.bytes)
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
    /// Makes one change; a loop keeps a `Changer`.
    package func apply(_ change: Change) throws {
        try Changer(in: self).apply(change)
    }
}
