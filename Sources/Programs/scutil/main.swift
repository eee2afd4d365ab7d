// SPDX-License-Identifier: Apache-2.0

import ReachabilityCommandLine
import ReachabilityKit
import ReachabilityLinuxSystem

FirstProcess.endBySignals()
StandardStream.reportBrokenPipes()

/// EX_USAGE of sysexits.h.
let usageStatus: Int32 = 64

func refuse(_ problem: String) -> Never {
    Output.complaint("scutil: \(problem)")
    Output.printUsage()
    exit(usageStatus)
}

do throws(ReachabilityError) {
    switch Request.parse(ProgramArguments.words) {
    case .reachability(let words, let switches):
        let target: TargetWords
        do throws(TargetWords.Complaint) {
            target = try TargetWords(words)
        } catch {
            Output.complaint(error.text)
            exit(1)
        }
        let command = ReachabilityCommand(words: target, switches: switches)
        exit(switches.isWatching ? try command.watch() : command.check())
    case .networkInformation(let words, let switches):
        let command = NetworkInformationCommand(words: words)
        exit(switches.isWatching ? try command.watch() : try command.print())
    case .store: exit(StoreCommands.run())
    case .name(let name): exit(SettingsCommands.printName(name))
    case .proxies: exit(SettingsCommands.printProxies())
    case .nameServers: exit(try SettingsCommands.printDNS())
    case .notOffered(let command):
        let cure = ["-w", "-t"].contains(command) ? "`reachability wait` waits" : "`scutil --help` lists what is"
        Output.complaint("scutil: \(command) is not offered on Linux; \(cure)")
        exit(usageStatus)
    case .help: Output.line(Output.help)
    case .refuse(let problem): refuse(problem)
    }
} catch {
    Output.complaint("scutil: \(error)")
    exit(1)
}
