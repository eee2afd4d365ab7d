// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// The receives that wait for bytes, in order. Reads no more than they ask for, so that TCP's window holds back the
/// peer of a slow client.
package struct ReceiveQueue<Completion> {
    /// The outcome of one receive.
    package struct Delivery {
        package let completion: Completion
        package let content: [UInt8]
        /// Whether the peer will send nothing more.
        package let isEnd: Bool
        package let failure: Errno?
    }

    package enum Outcome: Hashable, Sendable {
        /// No receive waits.
        case idle
        /// A receive waits: there are no bytes now, or the limit of calls was met.
        case blocked
        case failed(Errno)
    }

    private struct Request {
        let minimum: Int
        let maximum: Int
        let completion: Completion
    }

    private var requests: [Request] = []
    /// The bytes read for the first request, while they are fewer than its minimum.
    private var partial: [UInt8] = []
    package private(set) var hasEnded = false

    package init() {}

    package var isEmpty: Bool { requests.isEmpty }

    package mutating func append(minimum: Int, maximum: Int, _ completion: Completion) {
        let maximum = max(1, maximum)
        requests.append(
            Request(minimum: min(max(1, minimum), maximum), maximum: maximum, completion: completion))
    }

    /// Reads what is asked for and available, within the limit of calls.
    ///
    /// - Parameter failure: the connection's error, if sending has met it. A socket reports its error once; later it
    ///   reads as if the peer had ended in order.
    package mutating func drain(
        from stream: any ConnectionStream, afterSendError failure: Errno?, deliver: (Delivery) -> Void
    ) -> Outcome {
        for _ in 0..<TransferLimit.callsPerEvent {
            guard let request = requests.first else { return .idle }
            guard !hasEnded else {
                // As on Apple's systems, the end is reported once, and a later receive fails with ENODATA.
                finish(request, [], .noMoreData, deliver)
                continue
            }
            do throws(Errno) {
                let room = request.maximum - partial.count
                let fresh = try Self.read(from: stream, atMost: min(room, TransferLimit.bytesPerCall))
                if fresh.isEmpty, let failure { return .failed(failure) }
                hasEnded = fresh.isEmpty
                if partial.isEmpty { partial = fresh } else { partial += fresh }
                if hasEnded || partial.count >= request.minimum {
                    let content = partial
                    partial = []
                    finish(request, content, nil, deliver)
                }
            } catch {
                if error == .wouldBlock { return .blocked }
                return .failed(error)
            }
        }
        return requests.isEmpty ? .idle : .blocked
    }

    /// Fails every receive. The first gets the bytes that were read for it.
    package mutating func removeAll(_ failure: Errno?) -> [Delivery] {
        defer {
            requests = []
            partial = []
        }
        return requests.enumerated().map { position, request in
            Delivery(
                completion: request.completion, content: position == 0 ? partial : [], isEnd: false, failure: failure)
        }
    }

    private mutating func finish(
        _ request: Request, _ content: [UInt8], _ failure: Errno?, _ deliver: (Delivery) -> Void
    ) {
        requests.removeFirst()
        deliver(Delivery(completion: request.completion, content: content, isEnd: hasEnded, failure: failure))
    }

    private static func read(from stream: any ConnectionStream, atMost count: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(Errno) {
                filled = unsafe try stream.read(into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
