// SPDX-License-Identifier: Apache-2.0

import CReachabilityTesting
import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import Synchronization
import TestTopology

/// Forks very often while other threads ask and watch. Each child asks and watches too, and must end.
///
/// A child that is not over after ten seconds hangs, as when it waits for a lock that was held at the fork. It is stopped, so
/// that it does not go on meanwhile, and gdb finds out where it is.
final class Forks: Sendable {
    private let topology: Machine
    private let options: ReachabilityOptions
    private let shared: [ReachabilityRef]
    private let isOver = Atomic(false)
    private let wrongAnswers = Atomic(0)

    init() throws {
        topology = try Machine.routed()
        var options = ReachabilityOptions()
        options.networkNamespace = .path(topology.namespacePath)
        self.options = options
        shared = [
            try ReachabilityRef(address: "192.0.2.1", options: options),
            try ReachabilityRef(hostname: "localhost", options: options),
            try ReachabilityRef.defaultPath(options: options),
        ]
    }

    /// Asks all that a child asks, too. Returns false if an answer is wrong: every target is reachable at all times.
    private func ask() throws -> Bool {
        let own = try ReachabilityRef(address: "10.0.0.7", options: options)
        return try (shared + [own]).allSatisfy { try $0.getFlags().isReachable }
    }

    private func watch() throws -> Bool {
        let watcher = try ReachabilityWatcher()
        var told: [Bool] = []
        for reference in shared { try watcher.add(reference) { told.append($0.isReachable) } }
        var request = pollfd(fd: watcher.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while told.count < shared.count, unsafe poll(&request, 1, -1) == 1 { try watcher.process() }
        return told == [true, true, true]
    }

    /// What a child does. Returns its exit status.
    private func serve() -> Int32 {
        do { return try ask() && watch() ? 0 : 1 } catch { return 2 }
    }

    /// Counts a wrong answer, and says what the first one was.
    private func note(_ problem: String) {
        if wrongAnswers.wrappingAdd(1, ordering: .relaxed).oldValue == 0 { say("WRONG \(problem)") }
    }

    /// Returns whether all children ended well.
    func run(_ count: Int) throws -> Bool {
        let threads = try (0..<4).map { number in
            try TestThread("asker \(number)") { [self] in
                while !isOver.load(ordering: .relaxed) {
                    do {
                        if try ask() && (number > 0 || watch()) { continue }
                        note("an answer is wrong")
                    } catch {
                        note("\(error)")
                    }
                }
            }
        }
        let changer = try Changer(in: topology)
        let eth0 = try topology.index(of: "eth0")
        var places: [String: Int] = [:]
        var hung = 0
        var failed = 0
        for number in 1...count {
            // The answers that are kept do not count any more.
            let change: ReachabilityTestMachines.Change.Verb = number.isMultiple(of: 2) ? .delete : .add
            try changer.apply(.route(change, "198.51.100.0/24", via: "10.0.0.254", through: eth0))
            let child = forkProcess()
            if child == 0 { _exit(serve()) }
            let isStuck = reachability_testing_ends_within(child, 10) == 0
            if isStuck {
                hung += 1
                places[Self.end(child), default: 0] += 1
            }
            if reachability_testing_wait_for_child(child) != 0, !isStuck { failed += 1 }
            if number.isMultiple(of: 1000) { say("\(number) forks, \(hung) children hung, \(failed) failed") }
        }
        isOver.store(true, ordering: .relaxed)
        for thread in threads { try thread.join() }
        for (place, times) in places.sorted(by: { $0.value > $1.value }) {
            say("hung \(times) times:\n\(place)")
        }
        let wrong = wrongAnswers.load(ordering: .relaxed)
        say(
            "\(count) forks beside four threads: \(hung) children hung, \(failed) failed, "
                + "\(wrong) answers of the threads were wrong")
        return hung == 0 && failed == 0 && wrong == 0
    }

    /// Ends a child that hangs. Returns where it was.
    static func end(_ child: pid_t) -> String {
        kill(child, SIGSTOP)
        defer { kill(child, SIGKILL) }
        let words = ["gdb", "-batch", "-p", "\(child)", "-ex", "thread apply all bt 40"]
        let said: String
        do { said = try CallingThread.execute(words) } catch { return "gdb cannot say where: \(error)" }
        let frames = said.split(separator: "\n").filter { $0.hasPrefix("#") || $0.hasPrefix("Thread") }
            .map { line in line.prefix(160).drop { $0 != "i" && $0 != "T" } }
        return frames.isEmpty ? "gdb cannot say where: \(said)" : frames.joined(separator: "\n")
    }
}
