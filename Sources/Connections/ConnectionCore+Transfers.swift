// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// Sending and receiving. What is asked for before the connection is there waits for it.
extension ConnectionCore {
    func send(
        _ content: (any ConnectionContent)?, isLast: Bool,
        _ completion: @escaping @Sendable (ConnectionFailure?) -> Void
    ) {
        if let end { return client.deliver { completion(end) } }
        guard sends.append(content, isLast: isLast, completion) else {
            return client.deliver { completion(.system(.brokenPipe)) }
        }
        transfer()
    }

    func receive(minimum: Int, maximum: Int, _ completion: @escaping @Sendable (ReceivedContent) -> Void) {
        if let end {
            return client.deliver { completion(ReceivedContent(bytes: [], isEnd: false, failure: end)) }
        }
        receives.append(minimum: minimum, maximum: maximum, completion)
        transfer()
    }

    /// Does what can be done now, and asks to be told when more can.
    func transfer() {
        guard let stream else { return }
        // What the peer had to say comes first: it explains why it takes no more.
        let received = receives.drain(from: stream, brokenBy: broken) { delivery in deliver(delivery) }
        if case .failed(let error) = received { return streamFailed(.system(error)) }
        let sent = flush()
        if case .failed(let error) = sent {
            // EPIPE says that the peer takes no more, and nothing of what it sends.
            if error != .brokenPipe { broken = broken ?? error }
            if receives.isEmpty || receives.hasEnded { return streamFailed(.system(broken ?? error)) }
        }
        var events: StreamEvents = []
        if received == .blocked { events.insert(.readable) }
        if sent == .blocked { events.insert(.writable) }
        watch(events, stream)
    }

    @discardableResult
    func flush(calls: Int = Turn.calls) -> SendQueue<@Sendable (ConnectionFailure?) -> Void>.Outcome {
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
        // What has come before the end can still be read, in as many turns as it takes. Then reading tells of the end, or
        // of the error, to whoever still waits: a socket that has hung up never says that nothing is there now
        // (tcp_recvmsg_locked in net/ipv4/tcp.c).
        if !receives.isEmpty { transfer() }
        guard self.stream != nil, receives.isEmpty else { return }
        if let error = stream.takeError() { return streamFailed(.system(error)) }
        // Both directions have ended in order. epoll would tell of that without end, and there is nothing left to
        // wait for: what can be read is there.
        watched = .some(nil)
        try? stream.watch(nil) { _ in }
    }
}
