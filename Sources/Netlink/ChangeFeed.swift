// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts

/// Hears what the kernel announces of one namespace. Used on one thread.
package final class ChangeFeed {
    /// What emptying the queue brought, beside the announcements themselves.
    package struct Tally: Hashable, Sendable {
        package var events = 0
        package var foreignSenders = 0
        /// Announcements were lost, or cut off, or could not be read: anything may have changed.
        package var isComplete = true
        package var overruns = 0
    }

    /// What is asked of the kernel for the queue. It holds the burst of a busy container host; more would only make
    /// the burst dearer to read, and losing announcements is no harm.
    package static let queueBytes: Int32 = 1 << 20

    private let socket: NetlinkSocket
    private let buffer = ReceiveBuffer(capacity: 8 << 10)

    /// Opens the socket in the namespace of the calling thread.
    package init(queueBytes: Int32 = ChangeFeed.queueBytes) throws(Errno) {
        let socket = try NetlinkSocket()
        try socket.setReceiveBuffer(bytes: queueBytes)
        for group in NotificationGroup.allCases {
            do throws(Errno) {
                try socket.join(group: group.number)
            } catch {
                if !group.isOptional { throw error }
            }
        }
        self.socket = socket
    }

    package var rawDescriptor: Int32 { socket.rawDescriptor }

    /// Has announcements of routes to none of these addresses stay in the kernel.
    ///
    /// - Returns: false where the kernel takes no such filter. Then every announcement comes through: a filter that is
    ///   refused leaves the one before attached (sk_attach_filter in net/core/filter.c), so that one is taken away.
    /// - Throws: where the one before cannot be taken away either. This feed is of no use then.
    package func watch(only addresses: [IPAddress]) throws(Errno) -> Bool {
        do throws(Errno) {
            try RouteFilter.attach(watching: addresses, to: socket)
            return true
        } catch {
            try watchEverything()
            return false
        }
    }

    /// Has every announcement come through.
    package func watchEverything() throws(Errno) {
        try socket.detachFilter()
    }

    /// Empties the queue.
    ///
    /// After an overrun the kernel drops announcements without a word until the queue has been found empty, so nothing
    /// may be asked before this returns: what is asked then is newer than anything that was lost.
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
