// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// How the program ends. A higher number beats a lower one.
enum ExitStatus: Int32, Comparable {
    case allReachable = 0
    /// Also: the time given ran out.
    case notAllReachable = 1
    case undetermined = 2
    /// EX_USAGE of sysexits.h.
    case usage = 64
    /// As shells report a program that Ctrl-C has ended.
    case interrupted = 130

    static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

/// Results go to standard output, complaints to standard error.
enum Output {
    /// Prints a result at once, also into a pipe. A reader who has gone away ends the program.
    static func result(_ line: String) {
        do throws(Errno) {
            try StandardStream.output.write(line + "\n")
        } catch {
            endUnheard(error)
        }
    }

    /// Says what is wrong, on one line. It may name an argument, whose control characters are nothing for a terminal.
    static func complaint(_ line: String) {
        // With standard error closed too there is nobody left to tell.
        try? StandardStream.error.write("reachability: \(line.printable)\n")
    }

    /// Ends the program, since nobody takes its results any more.
    static func endUnheard(_ error: Errno) -> Never {
        complaint("cannot write the result: \(error)")
        exitNow(.undetermined)
    }
}
