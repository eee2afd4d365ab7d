// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import NetworkFacts

/// One lookup that several threads wait for. One of them drives the channel, the others sleep. When the driving thread
/// runs out of time, another takes over.
final class SharedLookup: Sendable {
    let name: HostName
    let configuration: ResolverConfiguration
    let forkEpoch = ForkEpoch.current
    let lock: ConditionLock<State>

    struct State {
        var progress: LookupProgress
        /// Raised with every answer.
        var version = 0
        /// The channel while no thread drives it. The thread that takes it drives it.
        var idleChannel: AresChannel?
        var ending: Ending?
    }

    enum Ending: Sendable {
        case answered(Resolution)
        /// The configuration changed, so a new lookup is needed.
        case outdated
    }

    init(_ name: HostName, _ configuration: ResolverConfiguration) {
        self.name = name
        self.configuration = configuration
        lock = ConditionLock(
            State(progress: LookupProgress(candidates: configuration.resolvConf.candidates(for: name))))
    }

    /// The answer as far as it is known.
    func resolution(_ progress: LookupProgress, missing: FamilyOutcome, at now: BootTime) -> Resolution {
        Resolution(
            name, v4: progress.outcome(.v4, missing: missing), v6: progress.outcome(.v6, missing: missing), made: now,
            configuration: configuration)
    }
}

extension LookupProgress {
    /// Sends the present question for both families. The ticket holds round and family.
    func ask(_ channel: AresChannel) {
        for (number, family) in AddressFamily.allCases.enumerated() {
            channel.ask(question, family, ticket: UInt64(round) << 1 | UInt64(number))
        }
    }

    /// Records an answer to such a question. Returns true if the next one is to be asked.
    mutating func record(_ answer: AresChannel.Answer) -> Bool {
        record(answer.outcome, for: AddressFamily.allCases[Int(answer.ticket & 1)], round: Int(answer.ticket >> 1))
    }
}
