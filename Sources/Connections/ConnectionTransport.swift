// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
package import NetworkFacts

/// What a connection needs of the world: a thread, the time, names, sockets, and the ways packets take. Tests put one
/// in its place that does what no server does on demand.
///
/// Everything but `open`, `close` and `enqueue` happens on the transport's thread, and so do the calls of the closures.
package protocol ConnectionTransport: Sendable {
    /// Makes the thread ready. To be called once, before anything else.
    func open() throws(ConnectionFailure)
    /// Lets go of the thread.
    func close()
    /// Has work done on the thread, in order.
    func enqueue(_ work: @escaping @Sendable () -> Void)

    func schedule(after delay: Duration, _ work: @escaping () -> Void) -> any ConnectionTask
    func resolve(_ tell: @escaping @Sendable (ResolutionProgress) -> Void) -> any ConnectionTask
    /// The address that packets to a destination would be sent from; nil where there is no way to it.
    func source(towards destination: IPAddress) -> IPAddress?
    /// Connects to one address. `finished` may be called inside this call.
    func connect(
        to address: IPAddress, _ finished: @escaping (Result<any ConnectionStream, ConnectionFailure>) -> Void
    ) -> any ConnectionTask
    /// Tells whether there is a way to the host, now and whenever the way is another: nil, or what is in the way.
    func follow(_ tell: @escaping @Sendable (ConnectionFailure?) -> Void) -> any ConnectionTask
    /// Tells whether an established connection's packets can leave, now and whenever that changes.
    func follow(_ stream: any ConnectionStream, _ tell: @escaping @Sendable (Bool) -> Void) -> any ConnectionTask
}

/// Something that was begun. Nothing is told of it once it is cancelled.
package protocol ConnectionTask {
    func cancel()
}

/// How far a name is resolved.
package enum ResolutionProgress: Hashable, Sendable {
    /// All addresses that are known so far.
    case addresses([IPAddress])
    /// No more will come. The failure is that of a name without any.
    case ended(ConnectionFailure?)
}

/// What a stream is ready for.
package struct StreamEvents: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let readable = StreamEvents(rawValue: 1)
    package static let writable = StreamEvents(rawValue: 2)
    /// Something is wrong, or both directions have ended. Told whether it was asked for or not.
    package static let hungUp = StreamEvents(rawValue: 4)
}

/// How much is read, or written, before the thread turns to others. What is left goes on when epoll tells again.
enum Turn {
    /// The most that one call reads or writes.
    static let chunk = 64 << 10
    static let calls = 16
}

/// An established connection.
package protocol ConnectionStream: AnyObject {
    /// This machine's end.
    var localEnd: StreamSocket.End { get }
    var remoteEnd: StreamSocket.End { get }

    /// Tells when it is ready for what is asked for here; nil for nothing, not even errors.
    func watch(_ events: StreamEvents?, _ tell: @escaping (StreamEvents) -> Void) throws(Errno)
    /// The number of bytes; 0 at the end of the stream. `wouldBlock` where there are none now.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
    /// How many of the bytes were taken; `wouldBlock` where none are now.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int
    func closeWriting() throws(Errno)
    /// What went wrong, asked once.
    func takeError() -> Errno?
    func close(isReset: Bool)
}
