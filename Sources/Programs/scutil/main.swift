// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

FirstProcess.endBySignals()
StandardStream.reportBrokenPipes()

/// EX_USAGE of sysexits.h.
let usageStatus: Int32 = 64

func refuse() -> Never {
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
        guard let command = NetworkInformationCommand(words: words) else { refuse() }
        exit(switches.isWatching ? try command.watch() : try command.print())
    case .store: exit(StoreCommands.run())
    case .name(let name): exit(SettingsCommands.printName(name))
    case .proxies: exit(SettingsCommands.printProxies())
    case .nameServers: exit(try SettingsCommands.printDNS())
    case .notOffered(let command):
        Output.complaint("scutil: \(command) is not offered on Linux")
        exit(usageStatus)
    case .help: Output.line(Output.help)
    case .usage: refuse()
    }
} catch {
    Output.complaint("scutil: \(error)")
    exit(1)
}
