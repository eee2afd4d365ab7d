// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// The exit status. If several apply, the highest counts.
enum ExitStatus: Int32, Comparable {
    case allReachable = 0
    /// Also if the time ran out.
    case notAllReachable = 1
    case undetermined = 2
    /// EX_USAGE of sysexits.h.
    case usage = 64
    /// The status with which shells report a program that Ctrl-C ended.
    case interrupted = 130

    static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

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

    /// Ends the program because its results cannot be written.
    static func exitWithoutReader(_ error: Errno) -> Never {
        complaint("cannot write the result: \(error)")
        exitNow(.undetermined)
    }
}
