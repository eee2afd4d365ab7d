// SPDX-License-Identifier: Apache-2.0

import Glibc

@_implementationOnly import CLinux

/// The size of a terminal, in characters.
package struct TerminalSize: Hashable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

extension StandardStream {
    /// The terminal's size (ioctl_tty(2)); that of the classic ones where it does not know.
    package var terminalSize: TerminalSize {
        var size = winsize()
        guard unsafe clinux_ioctl_pointer(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Whether the cursor can be moved about: a terminal that calls itself anything but dumb.
    package var hasMovableCursor: Bool {
        guard isTerminal else { return false }
        guard let name = unsafe getenv("TERM") else { return true }
        return unsafe strcmp(name, "dumb") != 0
    }
}
