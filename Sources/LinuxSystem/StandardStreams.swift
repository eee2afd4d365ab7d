// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// The descriptors every process begins with, for the command-line tools.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// Writes all of a text, at once and unbuffered, so that a reader of a pipe sees it now.
    package func write(_ text: String) throws(Errno) {
        var text = text
        let outcome: Result<Void, Errno> = text.withUTF8 { bytes in
            Result { () throws(Errno) -> Void in
                var done = 0
                while done < bytes.count {
                    done += try valueOrErrno(.write) {
                        unsafe Glibc.write(rawValue, bytes.baseAddress! + done, bytes.count - done)
                    }
                }
            }
        }
        try outcome.get()
    }

    /// The same, but a reader who takes nothing never keeps the program from what is to be done about `interruption`:
    /// `interrupted` is called whenever that descriptor becomes readable while there is no room.
    package func write(
        _ text: String, whileWatching interruption: Int32, interrupted: () -> Void
    ) throws(Errno) {
        // A pipe that is ready takes a page without blocking (pipe(7)); a line of that length also stays in one piece.
        let page = 4096
        var text = text
        let outcome: Result<Void, Errno> = text.withUTF8 { bytes in
            Result { () throws(Errno) -> Void in
                var done = 0
                while done < bytes.count {
                    guard waitForRoom(interruption) else {
                        interrupted()
                        continue
                    }
                    do throws(Errno) {
                        done += try valueOrErrno(.write) {
                            unsafe Glibc.write(rawValue, bytes.baseAddress! + done, min(page, bytes.count - done))
                        }
                    } catch {
                        // Somebody has made the description of the file non-blocking, and somebody else was faster.
                        if error != .wouldBlock { throw error }
                    }
                }
            }
        }
        try outcome.get()
    }

    /// False where `interruption` is readable first. A reader who has gone counts as room: the write tells.
    private func waitForRoom(_ interruption: Int32) -> Bool {
        var awaited = [
            pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&awaited, 2, -1) <= 0 {}
        return awaited[1].revents == 0
    }

    /// Whether a person is looking (isatty(3)).
    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Occupies the numbers of streams that were closed when the program began (`>&-`). Otherwise the next socket would
    /// get such a number, and results would be written to it. What stands there instead refuses to be written to.
    package static func occupyClosedStreams() {
        for number in Int32(0)...2 where fcntl(number, F_GETFD) == -1 {
            // The lowest free number is taken, and it is this one.
            _ = unsafe clinux_open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY, 0)
        }
    }

    /// Has a write to a closed pipe fail with an error instead of ending the process without a word.
    package static func reportBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}
