// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// The signals as the program's caller has set them. A command that `wait` starts gets them back.
let inheritedSignals = InheritedSignals()

/// Ends the program. If a signal ends it, then by that signal, so that a shell's loop and a service manager can tell.
func exitNow(_ status: ExitStatus) -> Never {
    if let signal = status.signal { InheritedSignals.raise(signal) }
    exit(status.rawValue)
}

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
    setUser(&arguments)
    switch arguments.verb {
    case .check: exitNow(Check(arguments: arguments, references: makeReferences(arguments)).run())
    case .watch: exitNow(Watch(arguments: arguments, references: makeReferences(arguments)).run())
    case .wait: exitNow(Wait(arguments: arguments, references: makeReferences(arguments)).run())
    case .export: exitNow(Export(arguments: arguments, references: makeReferences(arguments)).run())
    case .path: exitNow(Path(arguments: arguments).run())
    case .completions:
        if let shell = CompletionShell(rawValue: arguments.shell) { Output.result(shell.text) }
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
func makeReferences(_ arguments: Arguments) -> [NamedReference] {
    var references: [NamedReference] = []
    var (words, complaints) = TargetList.expand(arguments.targets)
    var known = Set(complaints)
    for word in words {
        do throws(ReachabilityError) {
            references.append(
                NamedReference(
                    word: word, reference: try ReachabilityRef(text: word.target, options: arguments.options)))
        } catch {
            if known.insert(error.description).inserted { complaints.append(error.description) }
        }
    }
    guard complaints.isEmpty else {
        complaints.forEach(Output.complaint)
        exitNow(.usage)
    }
    return references
}

/// Looks up the number of the user that was named.
func setUser(_ arguments: inout Arguments) {
    guard let name = arguments.userName else { return }
    arguments.options.userID = UserNames.number(of: name)
    if arguments.options.userID == nil {
        Output.complaint(
            "--uid '\(name)' is invalid; there is no such user in /etc/passwd. Pass the number, which `id -u` prints")
        exitNow(.usage)
    }
}
