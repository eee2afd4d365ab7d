// SPDX-License-Identifier: Apache-2.0

@_implementationOnly import CLinux

/// The size of a terminal in characters.
package struct TerminalSize: Hashable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

extension StandardStream {
    /// The size of the terminal (ioctl_tty(2)); 80 by 24 if it does not tell.
    package var terminalSize: TerminalSize {
        var size = winsize()
        guard unsafe clinux_ioctl_pointer(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return TerminalSize(columns: 80, rows: 24) }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Whether the cursor can be moved: a terminal whose TERM is not "dumb".
    package var hasMovableCursor: Bool {
        guard isTerminal else { return false }
        guard let name = unsafe getenv("TERM") else { return true }
        return unsafe strcmp(name, "dumb") != 0
    }
}
