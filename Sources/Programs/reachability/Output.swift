// SPDX-License-Identifier: Apache-2.0

import CLinux
import LinuxSystem
import ReachabilityKit

/// Results go to standard output, complaints to standard error.
enum Output {
    /// Prints a result at once, also to a pipe. The program ends if the reader is gone.
    static func result(_ line: String) {
        do throws(Errno) {
            try StandardStream.output.write(line + "\n")
        } catch {
            exitWithoutReader(error)
        }
    }

    /// Prints an error on one line. Control characters, which may come from an argument, are escaped.
    static func complaint(_ line: String) {
        // A failure to print an error cannot be reported.
        try? StandardStream.error.write("reachability: \(line.printable)\n")
    }

    /// Ends the program because its results cannot be written. A reader that has read enough, as in `watch | head`, is no
    /// error: the program ends as any other does then.
    static func exitWithoutReader(_ error: Errno) -> Never {
        if error == .brokenPipe { exitNow(.readerGone) }
        complaint("cannot write the result: \(error)")
        exitNow(.undetermined)
    }
}

/// The size of a terminal in characters.
struct TerminalSize: Hashable, Sendable {
    var columns: Int
    var rows: Int

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

extension StandardStream {
    /// The size of the terminal (ioctl_tty(2)); 80 by 24 if it does not tell.
    var terminalSize: TerminalSize {
        var size = winsize()
        guard unsafe clinux_ioctl_pointer(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Whether the cursor can be moved: a terminal whose TERM is not "dumb".
    var hasMovableCursor: Bool {
        guard isTerminal else { return false }
        guard let name = unsafe getenv("TERM") else { return true }
        return unsafe strcmp(name, "dumb") != 0
    }
}
