// SPDX-License-Identifier: Apache-2.0

import ReachabilityConnections
import ReachabilityLinuxSystem

extension NWConnection {
    /// A message. TCP has none, so this only says whether the stream ends.
    public final class ContentContext: Sendable {
        /// A name, for logs.
        public let identifier: String
        /// Whether the stream ends after this message.
        public let isFinal: Bool

        /// Makes a context.
        public init(identifier: String, isFinal: Bool = false) {
            self.identifier = identifier
            self.isFinal = isFinal
        }

        /// A message after which others may follow.
        public static let defaultMessage = ContentContext(identifier: "defaultMessage")
        /// The last message. When it is complete, the peer sees the end of the stream.
        public static let finalMessage = ContentContext(identifier: "finalMessage", isFinal: true)
        /// The whole stream. When it is complete, the peer sees the end of the stream.
        public static let defaultStream = ContentContext(identifier: "defaultStream", isFinal: true)
    }

    /// How the end of a send is reported.
    public enum SendCompletion: Sendable {
        /// The function is called on the connection's queue when the kernel has accepted the content, or refused it.
        @preconcurrency case contentProcessed(@Sendable (_ error: NWError?) -> Void)
        /// Nothing is called, and the content may be sent more than once. (On Linux it never is.)
        case idempotent
    }

    /// Sends data after the data of earlier calls. May be called before the connection is ready, and on any thread.
    ///
    /// - Parameters:
    ///   - content: the data; nil to send only the end of the stream.
    ///   - contentContext: `finalMessage` or `defaultStream` to end the stream.
    ///   - isComplete: whether the context is complete. The stream ends only if it is.
    ///   - completion: called on the connection's queue.
    public func send(
        content: Data?, contentContext: ContentContext = .defaultMessage, isComplete: Bool = true,
        completion: SendCompletion
    ) {
        undisturbed {
            connection.send(content.map(DataContent.init), isLast: contentContext.isFinal && isComplete) { failure in
                let error = failure.map(NWError.init)
                if case .contentProcessed(let handler) = completion { callingOut { handler(error) } }
            }
        }
    }

    /// Sends data of any type after the data of earlier calls.
    public func send<Content: DataProtocol>(
        content: Content?, contentContext: ContentContext = .defaultMessage, isComplete: Bool = true,
        completion: SendCompletion
    ) {
        send(
            content: content.map { Data($0) }, contentContext: contentContext, isComplete: isComplete,
            completion: completion)
    }

    /// Receives data once. The completion is called on the connection's queue with at least the minimum and at most the maximum
    /// number of bytes; at the end of the stream, there may be fewer.
    ///
    /// At the end of the stream, `isComplete` is true. A receive after that fails with `ENODATA`. A maximum of 0 requests
    /// nothing: the completion is called in order, without content, and the end of the stream is left to the next receive.
    @preconcurrency public func receive(
        minimumIncompleteLength: Int, maximumLength: Int,
        completion:
            @escaping @Sendable (
                _ content: Data?, _ contentContext: ContentContext?, _ isComplete: Bool, _ error: NWError?
            ) -> Void
    ) {
        undisturbed {
            connection.receive(minimum: minimumIncompleteLength, maximum: maximumLength) { received in
                let content = received.bytes.isEmpty ? nil : Data(received.bytes)
                let isStream = received.failure == nil || content != nil
                let (context, error) = (
                    isStream ? ContentContext.defaultStream : nil, received.failure.map(NWError.init)
                )
                callingOut { completion(content, context, received.isEnd, error) }
            }
        }
    }

    /// Receives everything up to the end of the stream, which is the only message of a TCP connection.
    @preconcurrency public func receiveMessage(
        completion:
            @escaping @Sendable (
                _ completeContent: Data?, _ contentContext: ContentContext?, _ isComplete: Bool, _ error: NWError?
            ) -> Void
    ) {
        receive(minimumIncompleteLength: .max, maximumLength: .max, completion: completion)
    }

    /// Calls the block. On Apple's systems, data that is sent inside it may be combined into fewer packets.
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
