// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Receives the kernel's announcements of changes in one namespace. Used on one thread.
package final class AnnouncementSocket {
    /// What one emptying of the queue found, beside the announcements.
    package struct Tally: Hashable, Sendable {
        package var events = 0
        package var foreignSenders = 0
        /// False if announcements were lost, cut off or unreadable. Then anything may have changed.
        package var isComplete = true
        package var overruns = 0
    }

    /// The requested size of the queue. It holds the burst of a busy container host. A larger queue would only make the
    /// burst more expensive to read, and lost announcements do no harm.
    package static let queueBytes: Int32 = 1 << 20

    private let socket: NetlinkSocket
    /// Whether it is told of some changes only, or of none.
    package let hearing: Hearing
    private let buffer = ReceiveBuffer(capacity: 8 << 10)

    /// Opens the socket in the namespace of the calling thread.
    package init(queueBytes: Int32 = AnnouncementSocket.queueBytes) throws(Errno) {
        let socket = try NetlinkSocket()
        try socket.setReceiveBuffer(bytes: queueBytes)
        hearing = try socket.join()
        self.socket = socket
    }

    package var rawDescriptor: Int32 { socket.rawDescriptor }

    /// Attaches a filter that drops announcements of routes that contain none of these addresses.
    ///
    /// - Returns: false if the kernel refuses the filter. A refused filter leaves its predecessor attached
    ///   (sk_attach_filter in net/core/filter.c), so that is removed, and every announcement passes.
    /// - Throws: if the predecessor cannot be removed either. This feed must not be used then.
    package func watch(only addresses: [IPAddress]) throws(Errno) -> Bool {
        do throws(Errno) {
            try RouteFilter.attach(watching: addresses, to: socket)
            return true
        } catch {
            try watchEverything()
            return false
        }
    }

    /// Removes the filter, so that every announcement passes.
    package func watchEverything() throws(Errno) {
        try socket.detachFilter()
    }

    /// Empties the queue.
    ///
    /// After an overrun the kernel silently drops announcements until the queue was found empty. So ask for answers only
    /// after this returns: they are then newer than everything that was lost.
    package func drain(_ body: (Announcement) -> Void) throws(Errno) -> Tally {
        var tally = Tally()
        while true {
            let datagram: NetlinkSocket.Datagram
            do throws(Errno) {
                datagram = try unsafe socket.receive(into: buffer.storage)
            } catch {
                switch error {
                case .wouldBlock: return tally
                case .noBufferSpace:
                    tally.overruns += 1
                    tally.isComplete = false
                    continue
                default: throw error
                }
            }
            guard datagram.sender == 0 else {
                tally.foreignSenders += 1
                continue
            }
            tally.events += 1
            do throws(WireError) {
                unsafe buffer.lengths.pointee = UInt32(datagram.length)
                let isWhole = try buffer.read(0, of: 1) { (bytes) throws(WireError) in
                    try WireReader.forEachMessage(in: bytes) { (header, payload) throws(WireError) in
                        if let announcement = try Announcement.read(header: header, payload: payload) {
                            body(announcement)
                        }
                    }
                }
                if !isWhole { tally.isComplete = false }
            } catch {
                tally.isComplete = false
            }
        }
    }
}
