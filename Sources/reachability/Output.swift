// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// How the program ends. A higher number beats a lower one.
enum ExitStatus: Int32, Comparable {
    case allReachable = 0
    case notAllReachable = 1
    case undetermined = 2
    /// EX_USAGE of sysexits.h.
    case usage = 64

    static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

/// Results go to standard output, complaints to standard error.
enum Output {
    /// Prints a result at once, also into a pipe. A reader who has gone away ends the program.
    static func result(_ line: String) {
        do throws(Errno) {
            try StandardStream.output.write(line + "\n")
        } catch {
            complaint("cannot write the result: \(error)")
            exitNow(.undetermined)
        }
    }

    static func complaint(_ line: String) {
        // With standard error closed too there is nobody left to tell.
        try? StandardStream.error.write("reachability: \(line)\n")
    }
}
