// SPDX-License-Identifier: Apache-2.0

import CReachabilityLinux
import ReachabilityKit
import ReachabilityLinuxSystem

/// `reachability wait`: waits until its conditions hold at the same time, and runs a command then.
final class Wait {
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
    /// How many conditions have to hold.
    private let needed: Int
    private var arrival: Arrival

    init(arguments: Arguments, references: [NamedReference]) throws(ReachabilityError) {
        self.arguments = arguments
        loop = try MainLoop()
        progress = WaitProgress(arguments, begin: SystemTime().now())
        conditions = try Self.conditions(arguments, references)
        needed = arguments.waiting.isAny ? 1 : conditions.count
        arrival = Arrival(after: arguments.waiting.stableTime)
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
        var conditions: [any WaitCondition] = references.map {
            TargetCondition($0.text, $0.reference, isNegated: waiting.isNegated, by: waiting.network)
        }
        if waiting.needsNameServer { conditions.append(try ServerCondition(arguments.options)) }
        for target in waiting.connections {
            conditions.append(try ConnectCondition(target, arguments.options, by: waiting.network))
        }
        return conditions
    }

    private func wait() throws(ReachabilityError) -> ExitStatus {
        let end = arguments.timeout.map { SystemTime().now().advanced(by: $0) }
        for position in conditions.indices { try begin(position) }
        tellObstacles()
        while true {
            manager.waitForRoom(on: loop)
            let moments = [end, arrival.moment, progress.deadline] + conditions.map(\.deadline)
            loop.armTimer(at: moments.compactMap(\.self).min())
            for event in loop.next() {
                switch event {
                case .messages: for message in loop.messages.removeAll() { try take(message) }
                case .time:
                    let now = SystemTime().now()
                    for condition in conditions { try condition.timePassed(now) }
                case .room: manager.sendAgain()
                case .windowChanged, .resumed, .file: break
                }
            }
            let now = SystemTime().now()
            if try hasCome(at: now) {
                tellSuccess()
                return .allReachable
            }
            if let end, now >= end { return try finalStatus() }
            tellObstacles()
        }
    }

    private func take(_ message: Message) throws(ReachabilityError) {
        let condition = conditions[message.position]
        try condition.handle(message.event)
        // A break that is over at the next message is a break.
        if !condition.holds, !waiting.isAny || !conditions.contains(where: \.holds) {
            _ = arrival.observe(false, at: SystemTime().now())
        }
    }

    private func begin(_ position: Int) throws(ReachabilityError) {
        try conditions[position].begin { [messages = loop.messages] in
            messages.append(Message(position: position, event: $0))
        }
    }

    private func hasCome(at now: BootTime) throws(ReachabilityError) -> Bool {
        guard let end = arrival.observe(try isMet(), at: now) else { return false }
        let holding = conditions.filter(\.holds)
        let old = holding.filter { !$0.isProved(at: end) }
        if holding.count - old.count >= needed { return true }
        for condition in old { condition.prove() }
        return false
    }

    /// Whether enough conditions hold now. They are looked up only if the events say so.
    private func isMet() throws(ReachabilityError) -> Bool {
        guard conditions.count(where: \.holds) >= needed else { return false }
        var count = 0
        for (position, condition) in conditions.enumerated() where condition.holds {
            if try condition.holdsNow() {
                count += 1
            } else {
                // The events contradict this look: the engine may never have noticed so short a change.
                condition.end()
                try begin(position)
            }
        }
        return count >= needed
    }

    /// The status when the time is up. All is looked up once more, so that a timeout of 0 works as a check.
    private func finalStatus() throws(ReachabilityError) -> ExitStatus {
        var missing: [any WaitCondition] = []
        for condition in conditions where try !condition.holdsNow() || condition.isProving { missing.append(condition) }
        let isMet = conditions.count - missing.count >= needed
        if isMet, waiting.stableTime == .zero {
            tellSuccess()
            return .allReachable
        }
        for condition in missing { Output.complaint(condition.complaint) }
        if isMet { Output.complaint("the time was up before that had been so for long enough") }
        manager.tell("gave up when the time was up")
        return .timedOut
    }

    // MARK: Who is told

    private func tellObstacles() {
        let now = SystemTime().now()
        guard manager.isPresent || progress.isDue(at: now) else { return }
        let missing = arrival.moment == nil ? conditions.filter { !$0.holds || $0.isProving } : []
        let list = missing.map { "\($0.title) (\($0.obstacle))" }.shortened(to: 8)
        let word = waiting.isNegated ? "waiting for the end of " : "waiting for "
        let text = missing.isEmpty ? "waiting until this has lasted" : word + list
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
