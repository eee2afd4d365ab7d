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

    /// Whether a person is looking (isatty(3)).
    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Has a write to a closed pipe fail with an error instead of ending the process without a word.
    package static func reportBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}
