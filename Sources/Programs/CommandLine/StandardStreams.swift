// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// The standard streams of a process, for the command-line programs. Other programs may have the same streams. So O_NONBLOCK stays as it
/// is, which is a flag of what they share.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// Writes a text at once, without buffering, so that the reader of a pipe sees it now.
    package func write(_ text: String) throws(Errno) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty { rest = rest.dropFirst(try write(rest)) }
    }

    /// Writes a text. While the reader takes nothing, calls `interrupted` whenever the descriptor `interruption` is readable.
    package func write(
        _ text: String, whileWatching interruption: Int32, interrupted: () -> Void
    ) throws(Errno) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            waitForRoom(whileWatching: interruption, interrupted: interrupted)
            rest = rest.dropFirst(try writeToRoom(rest))
        }
    }

    /// Writes what the reader takes of a text now. The rest is dropped.
    package func offer(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, hasRoom, let count = try? writeToRoom(rest), count > 0 { rest = rest.dropFirst(count) }
    }

    /// Writes as much as a stream that has room takes without blocking. Returns how much that is.
    private func writeToRoom(_ bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
        do throws(Errno) {
            return try write(isTerminal ? Self.terminalPart(of: bytes) : bytes.prefix(Self.page))
        } catch {
            // Another process made the file non-blocking, and yet another filled the pipe first.
            guard error == .wouldBlock else { throw error }
            return 0
        }
    }

    /// A pipe that has room takes a page (pipe(7)). A line of that length also stays in one piece.
    private static let page = 4096

    /// A terminal that has room takes 256 bytes of a line (the least buffer in drivers/tty/tty_buffer.c), or the end of one, before
    /// which it looks again whether there is room (do_output_char in drivers/tty/n_tty.c).
    private static func terminalPart(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let line = bytes.prefix(256).prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? bytes.prefix(1) : line
    }

    /// Writes as much as the reader takes. Waits until it takes something, unless O_NONBLOCK is set.
    private func write(_ bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
        try valueOrErrno(.write) {
            unsafe bytes.withUnsafeBytes { unsafe ReachabilityLinuxSystem.write(rawValue, $0.baseAddress, $0.count) }
        }
    }

    /// Whether the reader takes something now. One that is gone counts as room.
    private var hasRoom: Bool {
        var awaited = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&awaited, 1, 0) > 0
    }

    /// Waits until the reader takes something. Meanwhile calls `interrupted` whenever the descriptor `interruption` is readable.
    package func waitForRoom(whileWatching interruption: Int32, interrupted: () -> Void) {
        while !waitForRoom(interruption) { interrupted() }
    }

    /// Returns false if `interruption` is readable. A reader that is gone counts as room: the write then fails.
    private func waitForRoom(_ interruption: Int32) -> Bool {
        var awaited = [
            pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&awaited, 2, -1) <= 0 {}
        return awaited[1].revents == 0
    }

    /// Whether the stream is a terminal (isatty(3)).
    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Occupies the numbers of streams that were closed when the program began (`>&-`). Otherwise the next socket would
    /// get such a number, and output would be written to it. Writing to the replacement fails. A command that the process
    /// becomes finds them closed again.
    package static func occupyClosedStreams() {
        for number in Int32(0)...2 where fcntl(number, F_GETFD) == -1 {
            // open(2) returns the lowest free number, which is this one.
            _ = unsafe open("/dev/null", (number == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        }
    }

    /// Makes a write to a closed pipe fail with an error instead of ending the process.
    package static func reportBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}

/// The process that a container begins with.
package enum FirstProcess {
    /// Has the signals that end any other program end this one, with the status that a shell would give it. For the first process
    /// of a PID namespace the kernel drops those without a handler (pid_namespaces(7)).
    package static func endBySignals() {
        guard getpid() == 1 else { return }
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] where clinux_is_ignored(number) == 0 {
            _ = signal(number) { _exit(128 + $0) }
        }
    }
}

/// The arguments after the program's name. With glibc, unlike `CommandLine.arguments`, they do not need /proc.
package enum ProgramArguments {
    /// As text. In a word that is not UTF-8, each byte that is not is written `\\xff`.
    package static var words: [String] {
        var count: Int32 = 0
        guard let arguments = unsafe clinux_arguments(&count) else { return Array(CommandLine.arguments.dropFirst()) }
        return unsafe UnsafeBufferPointer(start: arguments, count: Int(count)).dropFirst()
            .compactMap { word in
                unsafe word.map { unsafe String(validatingCString: $0) ?? String(escapingCString: $0) }
            }
    }
}

extension WallTime {
    /// The offset of local time from UTC at this moment, in seconds (localtime_r(3)).
    package var secondsAheadOfUTC: Int {
        tzset()
        var moment = time_t(seconds)
        var local = unsafe tm()
        guard unsafe localtime_r(&moment, &local) != nil else { return 0 }
        return unsafe local.tm_gmtoff
    }
}
