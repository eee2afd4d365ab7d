// SPDX-License-Identifier: Apache-2.0

/// The options of `wait`.
extension OptionTable {
    static let waiting = [
        CommandOption("--all", for: .wait, in: .waiting, "until all are reachable at the same time; the default") {
            $0.waiting.isAny = false
        },
        CommandOption("--any", for: .wait, in: .waiting, "until one of them is") { $0.waiting.isAny = true },
        CommandOption("--not", for: .wait, in: .waiting, "until they are not reachable") {
            $0.waiting.isNegated = true
        },
        CommandOption(
            "--stable", OptionValue.duration, for: .wait, in: .waiting,
            "until that has been so for S seconds without a break"
        ) { value, arguments in
            guard let duration = OptionValue.duration(value) else { return false }
            arguments.waiting.stableTime = duration
            return true
        },
        CommandOption(
            "--dns", for: .wait, in: .waiting,
            "also until a name server is reachable: one of resolv.conf, or of --server. One on this machine itself counts "
                + "if packets can leave the machine, as it asks others"
        ) { $0.waiting.needsNameServer = true },
        CommandOption(
            "--connect", .init("HOST:PORT", "a host and a TCP port, such as db.example:5432 or [2001:db8::1]:443"),
            for: .wait, in: .waiting,
            "also until a TCP connection succeeds, as a target with a port does; may be given several times"
        ) { value, arguments in
            guard let target = (try? TargetWord(value, for: .wait))?.connection else { return false }
            arguments.waiting.connections.append(target)
            return true
        },
        CommandOption(
            "--timeout", short: "-t", OptionValue.duration, for: .wait, in: .waiting,
            "for at most S seconds, such as 2.5; without it, for ever. With 0 the present state counts; a name that is "
                + "not resolved yet is not reachable"
        ) { value, arguments in
            guard let duration = OptionValue.duration(value) else { return false }
            arguments.timeout = duration
            return true
        },
    ]
}
