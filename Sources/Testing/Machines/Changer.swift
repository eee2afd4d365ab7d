// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Makes changes over netlink. The kernel processes a request inside send(2), so a change has taken effect when `apply` returns,
/// except for effects that the kernel leaves to a worker thread, such as the carrier of a link.
///
/// Used by one thread at a time. The socket stays in the namespace in which it was made.
package final class Changer {
    private let channel: Channel
    private var buffer = [UInt8](repeating: 0, count: 4096)
    /// The kernel's text about the last request that it refused, in addition to the number.
    private var complaint: String?

    package init(in machine: Machine) throws(Errno) {
        channel = try machine.run { () throws(Errno) in try Channel() }
    }

    /// Opens the socket in the namespace of the calling thread.
    init(to purpose: String) throws(MachineError) {
        do throws(Errno) { channel = try Channel() } catch { throw .system(purpose, error) }
    }

    /// Makes one change. Throws the kernel's error if it refuses.
    package func apply(_ change: Change) throws(Errno) {
        complaint = nil
        try channel.socket.send(RawSpan(_elements: change.message.span))
        let received = unsafe buffer.withUnsafeMutableBytes { (bytes) -> Result<Int, Errno> in
            Result { () throws(Errno) in try unsafe channel.socket.receive(into: bytes).length }
        }
        let bytes = Array(buffer.prefix(try received.get()))
        var number: Int32?
        do throws(WireError) {
            try WireReader.forEachMessage(in: RawSpan(_elements: bytes.span)) { (header, payload) throws(WireError) in
                guard header.type == Constant.error else { return }
                // struct nlmsgerr: a number, 0 for an acknowledgement, and the header of the request.
                number = try payload.load(at: 0)
                guard header.flags & Constant.hasText != 0 else { return }
                try WireReader.forEachAttribute(in: payload, from: 20) { (type, value) throws(WireError) in
                    if type == Constant.text { complaint = try value.text() }
                }
            }
        } catch {
            throw .badMessage
        }
        guard let number else { throw .badMessage }
        if number != 0 { throw Errno(rawValue: -number) }
    }

    /// The same, but throws a sentence.
    func apply(_ change: Change, to purpose: String) throws(MachineError) {
        do throws(Errno) { try apply(change) } catch { throw .system(purpose, error, complaint) }
    }

    private final class Channel {
        let socket: NetlinkSocket

        init() throws(Errno) {
            socket = try NetlinkSocket(asks: true)
            // The answers of kernels without this option have no text.
            var yes: Int32 = 1
            unsafe setsockopt(socket.rawDescriptor, Constant.netlinkLevel, Constant.texts, &yes, 4)
        }
    }

    /// Numbers of linux/netlink.h and linux/socket.h.
    private enum Constant {
        static let netlinkLevel: Int32 = 270  // SOL_NETLINK
        static let texts: Int32 = 11  // NETLINK_EXT_ACK
        static let error: UInt16 = 2  // NLMSG_ERROR
        static let hasText: UInt16 = 0x200  // NLM_F_ACK_TLVS
        static let text: UInt16 = 1  // NLMSGERR_ATTR_MSG
    }
}

extension Machine {
    /// Makes one change, and returns when the kernel has acknowledged it.
    package func apply(_ change: Change) throws {
        try Changer(in: self).apply(change)
    }

    /// Makes one change, and returns when the kernel has acknowledged it and announced one of its kind.
    func make(_ change: Change, to purpose: String) throws(MachineError) {
        try run { () throws(MachineError) in
            let announcements = try Announcements()
            try Changer(to: purpose).apply(change, to: purpose)
            try announcements.waitForOne(of: change.announcedType, purpose)
        }
    }
}
