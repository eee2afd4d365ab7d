// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import ReachabilityKit

/// Ends the program.
func exitNow(_ status: ExitStatus) -> Never { exit(status.rawValue) }

StandardStream.occupyClosedStreams()
StandardStream.reportBrokenPipes()

switch ArgumentParser.parse(ProgramArguments.words) {
case .help(let verb):
    Output.result(Help.text(for: verb))
case .version:
    Output.result(Help.version)
case .refuse(let complaints):
    complaints.forEach(Output.complaint)
    exitNow(.usage)
case .run(let arguments):
    let references = makeReferences(arguments)
    switch arguments.verb {
    case .check: exitNow(Check(arguments: arguments, references: references).run())
    case .watch: exitNow(Watch(arguments: arguments, references: references).run())
    case .wait: exitNow(Wait(arguments: arguments, references: references).run())
    case .path: exitNow(Path(arguments: arguments).run())
    }
}

/// Makes all references before the first lookup. If any target is invalid, prints all errors and ends the program.
func makeReferences(_ arguments: Arguments) -> [(text: String, reference: ReachabilityRef)] {
    var references: [(text: String, reference: ReachabilityRef)] = []
    var complaints: [String] = []
    for text in arguments.targets {
        do throws(ReachabilityError) {
            references.append((text, try ReachabilityRef(text: TargetText(text), options: arguments.options)))
        } catch {
            if !complaints.contains(error.description) { complaints.append(error.description) }
        }
    }
    guard complaints.isEmpty else {
        complaints.forEach(Output.complaint)
        exitNow(.usage)
    }
    return references
}
