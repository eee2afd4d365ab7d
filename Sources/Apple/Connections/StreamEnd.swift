// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// The end of a stream whose client has cancelled it. The kernel resets a connection that is closed with unread bytes, or to which
/// bytes come after that (RFC 1122 4.2.2.13, tcp_close in net/ipv4/tcp.c), and what it had accepted to send is lost. So the peer is
/// told that nothing follows, and what it sends is thrown away until it ends too, or a limit is reached.
final class StreamEnd {
    /// Enough for a peer that answers as it reads. A download that is cancelled costs no more than this.
    static let byteLimit = 4 << 20
    static let timeLimit = Duration.seconds(30)

    private let stream: any ConnectionStream
    private let transport: any ConnectionTransport
    /// What may end this earlier: the limit, and a failure of the thread.
    private var limits: [CancellationToken] = []
    private var count = 0

    init(of stream: any ConnectionStream, on transport: any ConnectionTransport) {
        self.stream = stream
        self.transport = transport
    }

    /// Ends the stream, and then closes the transport, which holds this object until then.
    func begin() {
        do throws(Errno) {
            try stream.closeWriting()
            try stream.watch(.readable) { _ in self.takeUnread() }
            limits = [
                transport.schedule(after: Self.timeLimit) { self.close() }, transport.whenFailed { _ in self.close() },
            ]
            takeUnread()
        } catch {
            close()
        }
    }

    private func takeUnread() {
        do throws(Errno) {
            for _ in 0..<TransferLimit.callsPerEvent {
                let fresh = try stream.read(atMost: TransferLimit.bytesPerCall).count
                count += fresh
                if fresh == 0 || count >= Self.byteLimit { return close() }
            }
        } catch {
            if error != .wouldBlock { close() }
        }
    }

    /// Ends it now. May be called again.
    func close(isReset: Bool = false) {
        for limit in limits { limit.cancel() }
        limits = []
        stream.close(isReset: isReset)
        transport.close()
    }
}
