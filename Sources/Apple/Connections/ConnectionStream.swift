// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem

/// An established connection.
package protocol ConnectionStream: AnyObject {
    /// The address on this machine.
    var localEnd: StreamSocket.End { get }
    var remoteEnd: StreamSocket.End { get }

    /// Reports when the stream is ready for one of the events; nil for none, not even errors.
    func watch(_ events: StreamEvents?, _ report: @escaping (StreamEvents) -> Void) throws(Errno)
    /// Returns the number of bytes read; 0 at the end of the stream. Throws `wouldBlock` if there are none now.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
    /// Returns the number of bytes taken. Throws `wouldBlock` if none can be taken now.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int
    func closeWriting() throws(Errno)
    /// Returns the stream's error and clears it.
    func takeError() -> Errno?
    func close(isReset: Bool)
}

package struct StreamEvents: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let readable = StreamEvents(rawValue: 1)
    package static let writable = StreamEvents(rawValue: 2)
    /// An error, or the end of both directions. Reported whether it was asked for or not.
    package static let hungUp = StreamEvents(rawValue: 4)
}

/// How much one connection reads or writes before the thread serves others. epoll reports again what is left.
enum TransferLimit {
    static let bytesPerCall = 64 << 10
    static let callsPerEvent = 16
}
