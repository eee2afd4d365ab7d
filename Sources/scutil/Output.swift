// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import ReachabilityKit

/// Results go to standard output, complaints to standard error.
enum Output {
    /// Prints a line at once, also into a pipe. A reader who has gone away ends the program.
    static func line(_ text: String) {
        do throws(Errno) {
            try StandardStream.output.write(text + "\n")
        } catch {
            exit(1)
        }
    }

    /// Says what is wrong, on one line. It may name an argument, whose control characters are nothing for a terminal.
    static func complaint(_ line: String) {
        // With standard error closed too there is nobody left to tell.
        try? StandardStream.error.write(line.printable + "\n")
    }

    static func explainUsage() {
        try? StandardStream.error.write(usage + "\n")
    }

    private static let usage = """
        usage: scutil [-d] [-D] [-W] -r nodename
           or: scutil [-d] [-D] [-W] -r address[%interface]
           or: scutil [-d] [-D] [-W] -r local-address remote-address
        	tells whether a node, an address, or a pair of addresses can be reached (-W to watch).
        	After a target: interface NAME, no-connection-on-demand, no-resolve.
           or: scutil [-W] --nwi [interface | -a]
        	tells by which interfaces this machine gets out.
        """
}
