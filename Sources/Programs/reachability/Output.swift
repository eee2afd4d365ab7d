// SPDX-License-Identifier: Apache-2.0

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
