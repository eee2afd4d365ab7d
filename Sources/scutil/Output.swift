// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import ReachabilityKit

/// Results go to standard output, complaints to standard error.
enum Output {
    /// Prints a line at once, also to a pipe. The program ends if the reader is gone.
    static func line(_ text: String) {
        do throws(Errno) {
            try StandardStream.output.write(text + "\n")
        } catch {
            exit(1)
        }
    }

    /// Prints an error on one line. Control characters, which may come from an argument, are escaped.
    static func complaint(_ line: String) {
        // A failure to print an error cannot be reported.
        try? StandardStream.error.write(line.printable + "\n")
    }

    static func printUsage() {
        try? StandardStream.error.write(usage + "\n")
    }

    static let help =
        usage + """


            Offered are these two commands of Apple's scutil, with its words and its layout. Not offered are its session
            (open, get, show, list, notify and the others), -p, -w, -t, --allow-new-interfaces, --dns, --error, --get, --nc,
            --prefs, --proxy, --renew, --set and --snapshot: Linux has no dynamic store. `reachability path` prints the
            name servers, and `reachability` tells more about a target.
            """

    private static let usage = """
        usage: scutil [-d] [-D] [-W] -r nodename
           or: scutil [-d] [-D] [-W] -r address[%interface]
           or: scutil [-d] [-D] [-W] -r local-address remote-address
        	Prints whether a name, an address, or a pair of addresses can be reached. -W prints changes too.
        	After the target: interface NAME, no-connection-on-demand, no-resolve.
           or: scutil [-W] --nwi [interface | -a]
        	Prints the interfaces that packets can leave by. -W prints changes too.
        """
}
