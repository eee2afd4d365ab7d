// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

StandardStream.reportBrokenPipes()

/// EX_USAGE of sysexits.h.
let usageStatus: Int32 = 64

switch Request(Array(CommandLine.arguments.dropFirst())) {
case .reachability(let words, let switches):
    do throws(TargetWords.Complaint) {
        let command = ReachabilityCommand(words: try TargetWords(words), switches: switches)
        exit(switches.isWatching ? command.watch() : command.check())
    } catch {
        Output.complaint(error.text)
        exit(1)
    }
case .networkInformation(let words, let switches) where !switches.isWatching:
    exit(NetworkInformationCommand(words: words).run())
case .networkInformation, .usage:
    Output.complaint(Output.usage)
    exit(usageStatus)
}
