// SPDX-License-Identifier: Apache-2.0

import Connections
import LinuxSystem

extension NWConnection {
    /// A message, or what stands for it: TCP has only one stream of bytes.
    public final class ContentContext: Sendable {
        /// A name for logs.
        public let identifier: String
        /// Whether the stream ends with it.
        public let isFinal: Bool

        /// Makes a context of one's own.
        public init(identifier: String, isFinal: Bool = false) {
            self.identifier = identifier
            self.isFinal = isFinal
        }

        /// A message among others.
        public static let defaultMessage = ContentContext(identifier: "defaultMessage")
        /// The last message: when it is complete, the peer is told that nothing follows.
        public static let finalMessage = ContentContext(identifier: "finalMessage", isFinal: true)
        /// The whole stream: when it is complete, the peer is told that nothing follows.
        public static let defaultStream = ContentContext(identifier: "defaultStream", isFinal: true)
    }

    /// Who is told that content was sent.
    public enum SendCompletion: Sendable {
        /// Called when the kernel has taken the content, or will not.
        @preconcurrency case contentProcessed(@Sendable (_ error: NWError?) -> Void)
        /// Nobody. The content may be sent more than once, which here it never is.
        case idempotent
    }

    /// Sends data after what was sent before. It may be called before the connection is ready.
    ///
    /// - Parameters:
    ///   - content: nil for none, as with the end of the stream.
    ///   - contentContext: `finalMessage` or `defaultStream` end the stream when they are complete.
    ///   - isComplete: whether the context is complete.
    ///   - completion: called on the connection's queue.
    public func send(
        content: Data?, contentContext: ContentContext = .defaultMessage, isComplete: Bool = true,
        completion: SendCompletion
    ) {
        connection.send(content.map(DataContent.init), isLast: contentContext.isFinal && isComplete) { failure in
            if case .contentProcessed(let handler) = completion { handler(failure.map(NWError.init)) }
        }
    }

    /// Sends data of any kind after what was sent before.
    public func send<Content: DataProtocol>(
        content: Content?, contentContext: ContentContext = .defaultMessage, isComplete: Bool = true,
        completion: SendCompletion
    ) {
        send(
            content: content.map { Data($0) }, contentContext: contentContext, isComplete: isComplete,
            completion: completion)
    }

    /// Receives data once: at least so many bytes, fewer at the end of the stream, and at most so many.
    ///
    /// At the end of the stream `isComplete` is true. Who asks again after that is told `ENODATA`.
    @preconcurrency public func receive(
        minimumIncompleteLength: Int, maximumLength: Int,
        completion:
            @escaping @Sendable (
                _ content: Data?, _ contentContext: ContentContext?, _ isComplete: Bool, _ error: NWError?
            ) -> Void
    ) {
        connection.receive(minimum: minimumIncompleteLength, maximum: maximumLength) { received in
            let content = received.bytes.isEmpty ? nil : Data(received.bytes)
            let isStream = received.failure == nil || content != nil
            completion(
                content, isStream ? .defaultStream : nil, received.isEnd, received.failure.map(NWError.init))
        }
    }

    /// Receives everything up to the end of the stream: to TCP that is the one message there is.
    @preconcurrency public func receiveMessage(
        completion:
            @escaping @Sendable (
                _ completeContent: Data?, _ contentContext: ContentContext?, _ isComplete: Bool, _ error: NWError?
            ) -> Void
    ) {
        receive(minimumIncompleteLength: .max, maximumLength: .max, completion: completion)
    }

    /// Does several things together.
    public func batch(_ block: () -> Void) {
        block()
    }
}

private struct DataContent: ConnectionContent {
    let data: Data

    var count: Int { data.count }

    func withBytes<Result>(
        from offset: Int, _ body: (UnsafeRawBufferPointer) throws(Errno) -> Result
    ) throws(Errno) -> Result {
        let outcome = unsafe data.withUnsafeBytes { buffer in
            Swift.Result { () throws(Errno) in
                unsafe try body(UnsafeRawBufferPointer(rebasing: buffer[offset...]))
            }
        }
        return try outcome.get()
    }
}
