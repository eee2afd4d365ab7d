// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityLinux

/// The standard streams of a process, for the command-line programs.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// Writes a text at once, without buffering, so that the reader of a pipe sees it now.
    package func write(_ text: String) throws(Errno) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty { rest = rest.dropFirst(try SharedStream(rawValue).write(rest)) }
    }

    /// Writes a text. While the reader takes nothing, calls `interrupted` whenever the descriptor `interruption` is readable.
    package func write(
        _ text: String, whileWatching interruption: Int32, interrupted: () -> Void
    ) throws(Errno) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            waitForRoom(whileWatching: interruption, interrupted: interrupted)
            rest = rest.dropFirst(try SharedStream(rawValue).writeToRoom(rest))
        }
    }

    /// Writes what the reader takes of a text now. The rest is dropped.
    package func offer(_ text: String) { SharedStream(rawValue).offer(text) }

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
    package var isTerminal: Bool { SharedStream(rawValue).isTerminal }

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
