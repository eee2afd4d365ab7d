// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// Who waits for bytes, in order. Reads only what somebody has asked for: a client that takes its time holds the peer
/// back, by TCP's window.
package struct ReceiveQueue<Completion> {
    /// What one wish ended with.
    package struct Delivery {
        package let completion: Completion
        package let content: [UInt8]
        /// The peer will send nothing more.
        package let isEnd: Bool
        package let failure: Errno?
    }

    /// How far the queue came.
    package enum Outcome: Hashable, Sendable {
        /// Nobody waits for bytes.
        case idle
        /// A request is waiting: nothing is there now, or the turn is over.
        case blocked
        case failed(Errno)
    }

    private struct Request {
        let minimum: Int
        let maximum: Int
        let completion: Completion
    }

    private var requests: [Request] = []
    /// What has come for the first request, where it wants more.
    private var partial: [UInt8] = []
    package private(set) var hasEnded = false

    package init() {}

    package var isEmpty: Bool { requests.isEmpty }

    package mutating func append(minimum: Int, maximum: Int, _ completion: Completion) {
        let maximum = max(1, maximum)
        requests.append(
            Request(minimum: min(max(1, minimum), maximum), maximum: maximum, completion: completion))
    }

    /// Reads what is asked for and there, as far as one turn goes.
    ///
    /// - Parameter failure: what broke the connection, if sending has been told: a socket tells it once, and then reads
    ///   like one whose peer has ended in order.
    package mutating func drain(
        from stream: any ConnectionStream, brokenBy failure: Errno?, deliver: (Delivery) -> Void
    ) -> Outcome {
        for _ in 0..<Turn.calls {
            guard let request = requests.first else { return .idle }
            guard !hasEnded else {
                // As on Apple's systems: the end is told once, and whoever asks again is told that nothing is there.
                finish(request, [], .noMoreData, deliver)
                continue
            }
            do throws(Errno) {
                let room = request.maximum - partial.count
                let fresh = try Self.read(from: stream, atMost: min(room, Turn.chunk))
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

    /// Ends every wish with a failure; the first gets what has come for it.
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
