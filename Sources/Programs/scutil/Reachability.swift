// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import SystemConfigurationCore

/// `scutil -r` and `scutil -W -r` (tests.c, configd-1405).
struct ReachabilityCommand {
    let words: TargetWords
    let switches: Request.Switches

    /// Prints the flags line. Returns 1 if there are no flags, as the manual page says, unlike Apple's program.
    func check() -> Int32 {
        guard let target = makeTarget() else { return 1 }
        return printFlags(of: target) ? 0 : 1
    }

    /// Prints the present flags, and then each change, until the program is ended.
    func watch() throws(ReachabilityError) -> Int32 {
        guard let direct = makeTarget() else { return 1 }
        tell(" 0: direct", of: direct)
        let asksFirst = unsafe getenv("CHECK_REACHABILITY_BEFORE_SCHEDULING") != nil
        guard let watched = asksFirst ? direct : makeTarget() else { return 1 }
        tell(" 1: start", of: watched, withFlags: false)
        let watcher = Watcher(command: self, target: watched)
        watched.belong(to: watcher)
        watched.setCallback { owner, flags in
            (owner as? Watcher)?.report(flags)
        }
        let callbacks = CallbackQueue()
        guard watched.setQueue(.target(callbacks)) else {
            let function =
                switches.usesQueue
                ? "SCNetworkReachabilitySetDispatchQueue" : "SCNetworkReachabilityScheduleWithRunLoop"
            Output.line("\(function)() failed: \(LegacyStatus.last.text)")
            return 1
        }
        // Apple's tool schedules on its main run loop, or with -D on a queue. Here both are the main thread.
        tell(" 2: on \(switches.usesQueue ? "dispatch queue" : "runloop")", of: watched)
        // The target's callback is told of no failure.
        let failure = try WatchFailure(PathSource())
        withExtendedLifetime(failure) { callbacks.run() }
        return 0
    }

    private func tell(_ step: String, of target: LegacyTarget, withFlags: Bool = true) {
        Output.line(step)
        Output.line("   \(Description(target: target, words: words))")
        if withFlags { _ = printFlags(of: target) }
        Output.line("")
    }

    private func makeTarget() -> LegacyTarget? {
        var target: LegacyTarget?
        if words.isReverse {
            LegacyStatus.last = .invalidArgument
            Output.complaint("scutil: 'ptr' is not offered on Linux")
        } else {
            switch words.target {
            case .name(let name):
                var options = LegacyOptions()
                options.name = name
                options.interface = words.interface
                options.bypassesResolver = words.isUnresolved
                target = LegacyTarget.make(options: options)
            case .addresses(let local, let remote):
                target = LegacyTarget.make(local: local, remote: remote, interface: words.interface)
            }
        }
        if target == nil { Output.complaint("  Could not determine status: \(LegacyStatus.last.text)") }
        return target
    }

    func printFlags(of target: LegacyTarget) -> Bool {
        guard let flags = target.flags() else {
            Output.complaint("    could not determine reachability, \(LegacyStatus.last.text)")
            return false
        }
        Output.line(switches.isDebugging ? "flags = \(flags.hexadecimal) (\(flags))" : "\(flags)")
        if switches.isDebugging, words.isUnresolved { Output.line("interface index = \(target.interfaceIndex)") }
        return true
    }
}

/// Prints callbacks. Used on the main thread only.
private final class Watcher: @unchecked Sendable {
    private let command: ReachabilityCommand
    private weak let target: LegacyTarget?
    private var count = 3

    init(command: ReachabilityCommand, target: LegacyTarget) {
        self.command = command
        self.target = target
    }

    func report(_ flags: ReachabilityFlags) {
        guard let target else { return }
        Output.line("\n*** \(TimeOfDay.now)\n")
        let number = count < 10 ? " \(count)" : "\(count)"
        Output.line("\(number): callback w/flags=\(flags.hexadecimal) (info=\"\(command.words.kind)\")")
        Output.line("    \(Description(target: target, words: command.words))")
        _ = command.printFlags(of: target)
        Output.line("")
        count += 1
    }
}

extension LegacyStatus {
    /// SCErrorString.
    var text: String { unsafe String(cString: cString) }
}
