// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// The seam between what is said and how it travels: the kernel's socket, or a script in a test.
package protocol NetlinkTransport: AnyObject {
    /// The port that answers to this side's requests carry.
    var port: UInt32 { get }
    /// Sends one datagram, which may hold several requests.
    func send(_ datagram: RawSpan) throws(Errno)
    /// Takes one datagram that is there already; `wouldBlock` where there is none.
    func receive(into buffer: ReceiveBuffer) throws(Errno) -> NetlinkSocket.Datagram
}

/// A netlink socket in the namespace of the thread that made it.
package final class KernelTransport: NetlinkTransport {
    private let socket: NetlinkSocket
    package let port: UInt32

    package init() throws(Errno) {
        let opened = try NetlinkSocket()
        // Old kernels lack the option; their errors are merely longer.
        try? opened.useShortErrors()
        try opened.connectToKernel()
        port = try opened.port()
        socket = opened
    }

    package func send(_ datagram: RawSpan) throws(Errno) {
        try socket.send(datagram)
    }

    package func receive(into buffer: ReceiveBuffer) throws(Errno) -> NetlinkSocket.Datagram {
        NetlinkSocket.Datagram(length: try unsafe socket.receiveFromKernel(into: buffer.storage), sender: 0)
    }
}

/// Memory that datagrams are received into, used by one conversation again and again.
@safe package final class ReceiveBuffer {
    /// The kernel builds dump datagrams of at most 32 KiB (netlink_dump in net/netlink/af_netlink.c).
    package static let largestDatagram = 32 << 10

    @unsafe let storage: UnsafeMutableRawBufferPointer

    package init(capacity: Int = ReceiveBuffer.largestDatagram) {
        unsafe storage = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit {
        unsafe storage.deallocate()
    }

    package var capacity: Int { unsafe storage.count }

    /// Reads the first `count` bytes, all of which must have been received.
    package func read<Failure: Error>(
        _ count: Int, _ body: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(count <= capacity)
        // The span ends with this call, the memory with this object.
        let span = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        try body(span)
    }

    /// Fills the buffer as a receive would, for scripted transports.
    package func fill(_ bytes: [UInt8]) {
        for (offset, byte) in bytes.prefix(capacity).enumerated() { unsafe storage[offset] = byte }
    }
}
