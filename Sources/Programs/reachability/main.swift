// SPDX-License-Identifier: Apache-2.0

import ReachabilityCommandLine
import ReachabilityKit
import ReachabilityLinuxSystem

/// The signals as the program's caller has set them. A command that `wait` starts gets them back.
let inheritedSignals = InheritedSignals()

/// Ends the program. If a signal ends it, then by that signal, so that a shell's loop and a service manager can tell.
func exitNow(_ status: ExitStatus) -> Never {
    if let signal = status.signal { InheritedSignals.raise(signal) }
    exit(status.rawValue)
}

FirstProcess.endBySignals()
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
case .run(var arguments):
    let references = makeReferences(&arguments)
    do throws(ReachabilityError) {
        switch arguments.verb {
        case .check: exitNow(Check(arguments: arguments, references: references).run())
        case .watch: try Watch(arguments: arguments, references: references).run()
        case .wait: exitNow(try Wait(arguments: arguments, references: references).run())
        case .export: exitNow(try Export(arguments: arguments, references: references).run())
        case .path: exitNow(try Path(arguments: arguments).run())
        case .completions:
            if let shell = CompletionShell(rawValue: arguments.shell) { Output.result(shell.text) }
        }
    } catch {
        Output.complaint(error.description)
        exitNow([.invalidOption, .invalidTarget].contains(error.code) ? .usage : .undetermined)
    }
}

/// A target and the reference to it.
struct NamedReference: Sendable {
    let word: TargetWord
    let reference: ReachabilityRef

    /// As the user wrote it.
    var text: String { word.text }
}

/// Makes all references before the first lookup. If any target is invalid, prints all errors and ends the program.
func makeReferences(_ arguments: inout Arguments) -> [NamedReference] {
    var references: [NamedReference] = []
    var (words, complaints) = TargetList.expand(arguments.targets, for: arguments.verb)
    var known = Set(complaints)
    for word in words {
        if arguments.verb == .wait, let connection = word.connection {
            arguments.waiting.connections.append(connection)
            continue
        }
        do throws(ReachabilityError) {
            references.append(
                NamedReference(
                    word: word, reference: try ReachabilityRef(text: word.target, options: arguments.options)))
        } catch {
            if known.insert(error.description).inserted { complaints.append(error.description) }
        }
    }
    complaints += arguments.waitingProblems
    guard complaints.isEmpty else {
        complaints.forEach(Output.complaint)
        exitNow(.usage)
    }
    return references
}
