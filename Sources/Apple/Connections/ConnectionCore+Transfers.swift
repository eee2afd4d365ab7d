// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Sending and receiving. Requests that come before the connection is established wait for it.
extension ConnectionCore {
    func send(
        _ content: (any ConnectionContent)?, isLast: Bool,
        _ completion: @escaping @Sendable (ConnectionFailure?) -> Void
    ) {
        if let endFailure { return client.deliver { completion(endFailure) } }
        guard sends.append(content, isLast: isLast, completion) else {
            return client.deliver { completion(.system(.brokenPipe)) }
        }
        transfer()
    }

    func receive(minimum: Int, maximum: Int, _ completion: @escaping @Sendable (ReceivedContent) -> Void) {
        if let endFailure {
            return client.deliver { completion(ReceivedContent(bytes: [], isEnd: false, failure: endFailure)) }
        }
        receives.append(minimum: minimum, maximum: maximum, completion)
        transfer()
    }

    /// Sends and receives what is possible now, and asks the stream for an event if something is left.
    func transfer() {
        guard let stream else { return }
        // Received bytes come first: they may explain why the peer takes no more.
        let received = receives.drain(from: stream, afterSendError: sendError) { delivery in deliver(delivery) }
        if case .failed(let error) = received { return streamFailed(.system(error)) }
        let sent = flush()
        if case .failed(let error) = sent {
            // EPIPE only says that the peer takes no more. What it sent may still be there to be read.
            if error != .brokenPipe { sendError = sendError ?? error }
            if receives.isEmpty || receives.hasEnded { return streamFailed(.system(sendError ?? error)) }
        }
        var events: StreamEvents = []
        if received == .blocked { events.insert(.readable) }
        if sent == .blocked { events.insert(.writable) }
        watch(events, stream)
    }

    @discardableResult
    func flush(
        calls: Int = TransferLimit.callsPerEvent
    ) -> SendQueue<@Sendable (ConnectionFailure?) -> Void>.Outcome {
        guard let stream else { return .empty }
        return sends.drain(into: stream, calls: calls) { completion in client.deliver { completion(nil) } }
    }

    func failTransfers(_ failure: ConnectionFailure) {
        for completion in sends.removeAll() { client.deliver { completion(failure) } }
        for delivery in receives.removeAll(nil) {
            let content = ReceivedContent(bytes: delivery.content, isEnd: false, failure: failure)
            let completion = delivery.completion
            client.deliver { completion(content) }
        }
    }

    private func deliver(_ delivery: ReceiveQueue<@Sendable (ReceivedContent) -> Void>.Delivery) {
        let content = ReceivedContent(
            bytes: delivery.content, isEnd: delivery.isEnd, failure: delivery.failure.map(ConnectionFailure.system))
        let completion = delivery.completion
        client.deliver { completion(content) }
    }

    private func watch(_ events: StreamEvents, _ stream: any ConnectionStream) {
        guard watched != .some(events) else { return }
        watched = .some(events)
        do throws(Errno) {
            try stream.watch(events) { [weak self] events in self?.streamIsReady(events) }
        } catch {
            streamFailed(.system(error))
        }
    }

    private func streamIsReady(_ events: StreamEvents) {
        guard let stream else { return }
        guard events.contains(.hungUp) else { return transfer() }
        // What came before the end can still be read, over as many events as that takes. Then reading reports the end
        // or the error to the receives that remain: a socket that has hung up never blocks (tcp_recvmsg_locked in
        // net/ipv4/tcp.c).
        if !receives.isEmpty { transfer() }
        guard self.stream != nil, receives.isEmpty else { return }
        if let error = stream.takeError() { return streamFailed(.system(error)) }
        // Both directions have ended in order. epoll would report that again and again, and no further event matters:
        // the bytes that can be read are there.
        watched = .some(nil)
        try? stream.watch(nil) { _ in }
    }
}
