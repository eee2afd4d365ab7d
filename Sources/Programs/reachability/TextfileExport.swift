// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem

/// `reachability export --textfile`: writes the file after each change, until the program is ended.
///
/// The file is removed at the end. One that stays would show the last states as if they were present ones.
final class TextfileExport {
    private let path: String
    private let targets: [NamedReference]
    private let paths: [(name: String, reference: ReachabilityRef)]
    private let manager = ServiceManager()
    private var schedule = WriteSchedule()
    private var written: String?
    private var complaint: String?

    init(path: String, targets: [NamedReference], paths: [(name: String, reference: ReachabilityRef)]) {
        (self.path, self.targets, self.paths) = (path, targets, paths)
    }

    func run() throws(ReachabilityError) -> ExitStatus {
        let file: PublishedFile
        do throws(PublishedFile.Failure) {
            file = try PublishedFile(path: path)
        } catch {
            Output.complaint(error.sentence(about: path))
            return .undetermined
        }
        defer { file.end() }
        let loop = try MainLoop<FollowedTargets.Message> { file.end() }
        // Without this watch, a file that another process has removed is only written again at the next change.
        file.withInotify { loop.watchFile($0.rawDescriptor) }
        let references = targets.map(\.reference) + paths.map(\.reference)
        var followed = FollowedTargets(references, loop.messages)
        try followed.begin()
        // At once, in place of what an earlier process may have left behind, and so that a wrong path is noticed now.
        guard write(followed, to: file) else { return .undetermined }
        manager.waitForRoom(on: loop)
        while true {
            loop.armTimer(at: schedule.deadline)
            for event in loop.next() {
                switch event {
                case .messages:
                    _ = followed.update { _, _ in nil }
                    if text(followed) != written { schedule.contentChanged(at: SystemTime().now()) }
                case .file:
                    if file.wasTouched() { schedule.contentChanged(at: SystemTime().now()) }
                case .room: manager.sendAgain()
                case .time, .windowChanged, .resumed: break
                }
            }
            if schedule.isDue(at: SystemTime().now()) { write(followed, to: file) }
            manager.waitForRoom(on: loop)
        }
    }

    // MARK: Writing

    @discardableResult
    private func write(_ followed: FollowedTargets, to file: PublishedFile) -> Bool {
        let text = text(followed)
        do throws(PublishedFile.Failure) {
            try file.replace(with: Array(text.utf8))
            schedule.written(at: SystemTime().now())
            (written, complaint) = (text, nil)
            // Another process may have changed the new version before it was watched.
            if file.wasTouched() { schedule.contentChanged(at: SystemTime().now()) }
        } catch {
            // No metrics are better than old ones that look like new ones.
            file.remove()
            schedule.failed(at: SystemTime().now())
            written = nil
            let complaint = error.sentence(about: path)
            if complaint != self.complaint { Output.complaint(complaint) }
            self.complaint = complaint
        }
        tellManager(followed)
        return complaint == nil
    }

    private func text(_ followed: FollowedTargets) -> String {
        func subject(_ name: String, _ position: Int) -> ExportedState.Subject {
            let known = followed.states[position]
            // A kernel that could not be asked leaves the state open.
            let answer = followed.failures.contains(position) ? nil : known?.answer
            return .init(name: name, answer: answer, history: known.map { ($0.changes, $0.since) })
        }
        return ExportedState(
            targets: targets.enumerated().map { subject($1.word.exportedName, $0) },
            paths: paths.enumerated().map { subject($1.name, targets.count + $0) }
        ).text
    }

    // MARK: The service manager

    /// Tells that the program is ready when the state of every target was written once.
    private func tellManager(_ followed: FollowedTargets) {
        guard manager.isPresent else { return }
        let states = followed.states.prefix(targets.count)
        let count = states.count { $0?.answer.flags.isReachable ?? false }
        let missing = zip(targets, states).filter { !($1?.answer.flags.isReachable ?? false) }
        let list = missing.map { named, state in
            let reason = state.map { StateText.brief($0.answer.flags, $0.answer.reasonWords) }
            return "\(named.word.exportedName) (\(reason ?? (named.reference.isName ? "being resolved" : "unknown")))"
        }
        let summary =
            "\(count) of \(targets.count) targets reachable" + (missing.isEmpty ? "" : "; not: ")
            + list.shortened(to: 3)
        if let complaint { return manager.tell(complaint) }
        // What was found out once stays so. READY=1 is sent only the first time (`ServiceManager`).
        let isReady = followed.states.indices.allSatisfy {
            followed.states[$0] != nil || followed.failures.contains($0)
        }
        return isReady ? manager.tellReady(summary) : manager.tell(summary)
    }
}

/// When a file is to be written next. Pure: the time is given.
///
/// The first change is written at once. Others that follow closely are written together, so that a flapping link costs ten
/// files a second at most. After a failure there are tries with growing pauses, because nothing announces that a disk has
/// room again. Otherwise no timer runs.
struct WriteSchedule {
    static let interval: Duration = .milliseconds(100)
    static let pauses: ClosedRange<Duration> = .seconds(1) ... .seconds(60)

    /// Nil if there is nothing to write.
    private(set) var deadline: BootTime?
    private var earliest = BootTime(nanoseconds: 0)
    private var pause = pauses.lowerBound

    /// There is something new to write.
    mutating func contentChanged(at now: BootTime) {
        deadline = min(deadline ?? .distantFuture, max(now, earliest))
    }

    /// All that is known was written.
    mutating func written(at now: BootTime) {
        deadline = nil
        earliest = now.advanced(by: Self.interval)
        pause = Self.pauses.lowerBound
    }

    mutating func failed(at now: BootTime) {
        deadline = now.advanced(by: pause)
        earliest = now.advanced(by: Self.interval)
        pause = min(pause * 2, Self.pauses.upperBound)
    }

    func isDue(at now: BootTime) -> Bool { deadline.map { now >= $0 } ?? false }
}

extension PublishedFile.Failure {
    /// What is wrong, and what can be done about it.
    func sentence(about path: String) -> String {
        switch self {
        case .inUse: "another process keeps '\(path)' current; stop it, or pass another file"
        case .notAFile: "'\(path)' is a folder, a symbolic link or a device; pass the path of a file"
        case .system(let error): "cannot write '\(path)': \(error)\(Self.hint(error))"
        }
    }

    private static func hint(_ error: Errno) -> String {
        switch error {
        case .noSuchFile: "; make the folder, or pass a file in another one"
        case .permissionDenied: "; this user has to be allowed to write in the folder"
        default: ""
        }
    }
}
