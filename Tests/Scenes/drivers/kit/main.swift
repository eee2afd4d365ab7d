// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ReachabilityKit

/// The scenes' driver for ReachabilityKit, a client like any other: questions, and watching by a queue's callback, by an
/// observation, by a watcher and by a sequence. See Tests/Scenes/README.md for the lines it reads and writes.

/// One write(2), so that lines of several threads do not mix.
@Sendable func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

struct UnknownWord: Error {
    let word: String
}

/// "TARGET [OPTION=VALUE]…". A target is an address, "LOCAL,REMOTE" or "default".
func reference(_ question: String) throws -> ReachabilityRef {
    let words = question.split(separator: " ").map(String.init)
    var options = ReachabilityOptions()
    for word in words.dropFirst() {
        let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
        switch pair[0] {
        case "interface": options.interface = pair[1]
        case "source": options.sourceAddress = pair[1]
        case "mark": options.mark = UInt32(pair[1])
        case "uid": options.userID = UInt32(pair[1])
        case "transport": options.transport = ReachabilityOptions.Transport(rawValue: pair[1])!
        case "port": options.port = UInt16(pair[1])
        default: throw UnknownWord(word: word)
        }
    }
    if words[0] == "default" { return try .defaultPath(options: options) }
    let pair = words[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard pair.count == 2 else { return try ReachabilityRef(address: words[0], options: options) }
    return try ReachabilityRef(
        local: pair[0].isEmpty ? nil : pair[0], remote: pair[1].isEmpty ? nil : pair[1], options: options)
}

/// The ways to ask must give the same flags and the same reason, and so must a reference that was asked before, which keeps its
/// answer. If they do not, all are written, which no scene expects.
@MainActor func answer(_ question: String) async throws -> String {
    let asked = try reference(question)
    let explanation = try asked.explain()
    let held = try asking[question] ?? reference(question)
    asking[question] = held
    let all = [
        try held.getFlags(), try held.getFlags(), try held.explain().flags, try asked.getFlags(),
        try await asked.flags(),
        explanation.flags,
    ].map { "\($0.rawValue)" }
    let flags = Set(all).count == 1 ? all[0] : all.joined(separator: "/")
    let reasons = try [
        explanation.reasonCode, held.getFlagsAndReason().reasonCode, await asked.flagsAndReason().reasonCode,
    ]
    let code = Set(reasons).count == 1 ? reasons[0] : reasons.joined(separator: "/")
    return "answer flags=\(flags) code=\(code) interface=\(explanation.interface ?? "none") "
        + "gateway=\(explanation.gateway ?? "none") source=\(explanation.source ?? "none")"
}

/// Runs tasks one after the other, in the order in which they are woken, so that several sequences tell in the order of the
/// changes.
final class InOrder: TaskExecutor {
    private let queue = DispatchQueue(label: "sequences")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

let queue = DispatchQueue(label: "callbacks")
let sequences = InOrder()
let watcher = try ReachabilityWatcher()
var kept: [ReachabilityRef] = []
var observations: [ReachabilityObservation] = []
var asking: [String: ReachabilityRef] = [:]

@MainActor func watch(_ question: String) throws {
    let (queued, followed) = (try reference(question), try reference(question))
    queued.setCallback { say("told queue \(question) -> flags=\($0.rawValue)") }
    try queued.setDispatchQueue(queue)
    kept.append(queued)
    observations.append(
        try reference(question).observe(on: queue) { say("told observation \(question) -> flags=\($0.rawValue)") })
    try watcher.add(reference(question)) { say("told watcher \(question) -> flags=\($0.rawValue)") }
    Task(executorPreference: sequences) {
        for try await flags in followed.flagChanges { say("told sequence \(question) -> flags=\(flags.rawValue)") }
    }
    say("watching \(question)")
}

while true {
    var ready = [
        pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
        pollfd(fd: watcher.fileDescriptor, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&ready, 2, -1) > 0 else { continue }
    if ready[1].revents != 0 { try watcher.process() }
    guard ready[0].revents != 0 else { continue }
    // The next line comes only after this one's answer, so nothing stays in the buffer of standard input.
    guard let line = readLine() else { exit(0) }
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    switch words[0] {
    case "ask": say(try await answer(words[1]))
    case "watch": try watch(words[1])
    default: throw UnknownWord(word: words[0])
    }
}
