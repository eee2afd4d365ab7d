// SPDX-License-Identifier: Apache-2.0

import CReachabilityLinux
import ReachabilityKit
import ReachabilityLinuxSystem

/// `reachability wait`: waits until its conditions hold at the same time, and runs a command then.
struct Wait {
    private struct Message: QueuedMessage {
        let position: Int
        let event: WaitEvent
        var subject: WaitEvent.Subject { event.subject(position) }
    }

    private let arguments: Arguments
    private let conditions: [any WaitCondition]
    private let loop: MainLoop<Message>
    private let manager = ServiceManager()
    private let progress: WaitProgress

    init(arguments: Arguments, references: [NamedReference]) throws(ReachabilityError) {
        self.arguments = arguments
        loop = try MainLoop()
        progress = WaitProgress(arguments, begin: SystemTime().now())
        conditions = try Self.conditions(arguments, references)
    }

    private var waiting: WaitArguments { arguments.waiting }

    func run() throws(ReachabilityError) -> ExitStatus {
        let status = try wait()
        guard status == .allReachable else { return status }
        guard let name = waiting.command.first else {
            finishTelling()
            return status
        }
        // Becomes the command. Whether that is ready is for the command to tell the service manager.
        inheritedSignals.restore()
        let error = ProcessImage.replace(by: waiting.command)
        Output.complaint("cannot run '\(name)': \(error)")
        return error == .noSuchFile ? .commandNotFound : .cannotRun
    }

    // MARK: Waiting

    private static func conditions(
        _ arguments: Arguments, _ references: [NamedReference]
    ) throws(ReachabilityError) -> [any WaitCondition] {
        let waiting = arguments.waiting
        func gated(
            _ condition: any WaitCondition, by host: ReachabilityRef, isSending: Bool = false
        ) -> any WaitCondition {
            guard waiting.network.needPath else { return condition }
            return GatedCondition(condition, RequestGate(to: host, waiting.network), isSending: isSending)
        }
        var conditions: [any WaitCondition] = references.map {
            gated(TargetCondition($0, isNegated: waiting.isNegated), by: $0.reference)
        }
        if waiting.needsNameServer { conditions.append(try ServerCondition(arguments.options)) }
        for target in waiting.connections {
            let condition = try ConnectCondition(target, arguments.options)
            conditions.append(gated(condition, by: condition.reference, isSending: true))
        }
        return conditions
    }

    private func wait() throws(ReachabilityError) -> ExitStatus {
        var rechecking = Rechecking(arguments.options)
        let end = arguments.timeout.map { SystemTime().now().advanced(by: $0) }
        var simultaneity = Simultaneity(waiting.stableTime)
        var carriers = Carriers(needed: waiting.isAny ? 1 : conditions.count)
        for position in conditions.indices { try begin(position) }
        tellObstacles(simultaneity)
        while true {
            manager.waitForRoom(on: loop)
            let moments = [end, simultaneity.moment, progress.deadline] + conditions.map(\.deadline)
            loop.armTimer(at: moments.compactMap(\.self).min())
            for event in loop.next() {
                switch event {
                case .messages:
                    if !arguments.isQuiet { rechecking.tell() }
                    for message in loop.messages.removeAll() {
                        let condition = conditions[message.position]
                        try condition.handle(message.event)
                        if !condition.holds { carriers.noteBreak(message.position) }
                    }
                case .time:
                    let now = SystemTime().now()
                    for condition in conditions { try condition.timePassed(now) }
                case .room: manager.sendAgain()
                case .lookAgain: rechecking.lookAgain()
                case .windowChanged, .resumed, .file: break
                }
            }
            let now = SystemTime().now()
            let isOver = try simultaneity.observe(at: now) { (demand) throws(ReachabilityError) in
                try certainty(demand, &carriers)
            }
            if isOver {
                tellSuccess()
                return .allReachable
            }
            if let end, now >= end { return try finalStatus(simultaneity.demand(at: now)) }
            tellObstacles(simultaneity)
        }
    }

    /// Whether the conditions hold now. They are looked up only if the events say so. What is stale begins to be proved again.
    private func certainty(
        _ demand: ProofDemand, _ carriers: inout Carriers
    ) throws(ReachabilityError) -> Certainty {
        var found = Carriers.Findings()
        let mayHold = waiting.isAny || conditions.allSatisfy(\.holds)
        for (position, condition) in conditions.enumerated() where mayHold && condition.holds {
            switch try condition.certainty(demand) {
            case .holds:
                found.sure.insert(position)
                if condition.isAnnounced { found.announced.insert(position) }
            case .stale: found.stale.insert(position)
            case .broken:
                // The events contradict this look: the engine may never have noticed so short a change.
                condition.end()
                try begin(position)
            }
        }
        let certainty = carriers.certainty(found)
        if certainty == .stale { for position in found.stale { conditions[position].prove() } }
        return certainty
    }

    private func begin(_ position: Int) throws(ReachabilityError) {
        try conditions[position].begin { [messages = loop.messages] in
            messages.append(Message(position: position, event: $0))
        }
    }

    /// The status when the time is up. All is looked up once more, so that a timeout of 0 works as a check.
    private func finalStatus(_ demand: ProofDemand) throws(ReachabilityError) -> ExitStatus {
        var (missing, stale): ([any WaitCondition], [any WaitCondition]) = ([], [])
        for condition in conditions {
            switch try condition.certainty(demand) {
            case .holds: break
            case .stale: stale.append(condition)
            case .broken: missing.append(condition)
            }
        }
        let isHolding =
            waiting.isAny ? missing.count + stale.count < conditions.count : missing.isEmpty && stale.isEmpty
        if isHolding, waiting.stableTime == .zero {
            tellSuccess()
            return .allReachable
        }
        // What was connected to, and was not yet again, is named only if nothing else was missing.
        for condition in missing.isEmpty || waiting.isAny ? missing + stale : missing {
            Output.complaint(condition.complaint)
        }
        if isHolding { Output.complaint("the time was up before that had been so for long enough") }
        manager.tell("gave up when the time was up")
        return .timedOut
    }

    // MARK: Who is told

    private func tellObstacles(_ simultaneity: Simultaneity) {
        let now = SystemTime().now()
        guard manager.isPresent || progress.isDue(at: now) else { return }
        let missing = conditions.filter {
            simultaneity.moment == nil && (!$0.holds || simultaneity.isProving && $0.isProving)
        }
        let shown = missing.prefix(8).map { "\($0.title) (\($0.obstacle))" }
        let rest = missing.count > shown.count ? ["and \(missing.count - shown.count) more"] : []
        let word = waiting.isNegated ? "waiting for the end of " : "waiting for "
        let text = missing.isEmpty ? "waiting until this has lasted" : word + (shown + rest).joined(separator: ", ")
        manager.tell(text)
        progress.line(text, at: now).map(Output.complaint)
    }

    /// As sd_notify(3), waits until the service manager has room for the message.
    private func finishTelling() {
        while manager.waitForRoom(on: loop) {
            for event in loop.next() {
                if event == .room { manager.sendAgain() }
                if event == .messages { _ = loop.messages.removeAll() }
            }
        }
    }

    private func tellSuccess() {
        let result = waiting.isNegated ? "not reachable" : "reachable"
        let text = waiting.command.first.map { "starting \($0)" } ?? result
        progress.lastLine(text, at: SystemTime().now()).map(Output.complaint)
        if waiting.command.isEmpty { manager.tellReady(text) } else { manager.tell(text) }
    }
}

/// What standard error is told: what is waited for, if that has taken a second, and again when it changes. A command that has
/// not begun after 30 seconds, and may never, gets a line about `--timeout`: in a container nobody may look for it.
final class WaitProgress {
    private let begin: BootTime
    private let isVerbose: Bool
    private var isTelling: Bool
    private var first: BootTime?
    private var reminder: BootTime?
    private var last: String?

    init(_ arguments: Arguments, begin: BootTime) {
        self.begin = begin
        isVerbose = arguments.isExplaining
        isTelling = isVerbose
        guard !arguments.isQuiet else { return }
        if !isVerbose { first = begin.advanced(by: .seconds(1)) }
        if arguments.timeout == nil, !arguments.waiting.command.isEmpty { reminder = begin.advanced(by: .seconds(30)) }
    }

    /// When something is to be told even if nothing changes; nil for never.
    var deadline: BootTime? { first ?? reminder }

    func isDue(at now: BootTime) -> Bool {
        if let first, now >= first { (isTelling, self.first) = (true, nil) }
        return isTelling
    }

    /// The line to print; nil for none.
    func line(_ text: String, at now: BootTime) -> String? {
        guard isDue(at: now) else { return nil }
        if let reminder, now >= reminder {
            (self.reminder, last) = (nil, text)
            return "still \(text); without a limit, such as --timeout 60, this may be for ever"
        }
        guard isVerbose || text != last else { return nil }
        last = text
        return text
    }

    /// Nil if nothing was told before.
    func lastLine(_ text: String, at now: BootTime) -> String? {
        let tenths = now.duration(since: begin) / .milliseconds(100)
        return last == nil ? nil : "\(text) after \(tenths.rounded() / 10) s"
    }
}

/// The program that a process runs.
enum ProcessImage {
    /// Runs another program in this process (execvp(3)). All our descriptors are close-on-exec, and other threads end.
    ///
    /// - Parameter words: the last arguments of this program, which may be any bytes: the program to run, which is looked for
    ///   in PATH if it has no slash, and its own arguments.
    /// - Returns: why that was not possible.
    static func replace(by words: [String]) -> Errno {
        var count: Int32 = 0
        if let all = unsafe clinux_arguments(&count), case let first = Int(count) - words.count, first > 0 {
            unsafe execvp(all[first]!, all + first)
            return .current
        }
        // Without glibc they are not known.
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        guard let name = unsafe arguments[0] else { return .invalidArgument }
        unsafe execvp(name, arguments)
        return .current
    }
}
