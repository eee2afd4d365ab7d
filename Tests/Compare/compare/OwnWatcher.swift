// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ReachabilityKit
import TestScenes
import TestTopology

/// A watcher that uses this package. It reports changes of the target, of the default path, and of the fence (see
/// `Stage`).
final class OwnWatcher {
    private let queue = DispatchQueue(label: "callbacks")
    /// Instead of the queue: a watcher that this thread turns.
    private var watcher: ReachabilityWatcher?
    private let isOnLoop: Bool
    private let text: String
    private let options: ReachabilityOptions
    private var target: ReachabilityRef?
    private var other: [ReachabilityRef] = []

    /// - Parameters:
    ///   - question: of a scene.
    ///   - isOnLoop: whether callbacks are made on this thread, which waits for the watcher's descriptor.
    init(_ question: Scenario.Question, isOnLoop: Bool) {
        text = question.target
        self.isOnLoop = isOnLoop
        var options = ReachabilityOptions()
        for option in question.options {
            let pair = option.split(separator: "=").map(String.init)
            switch pair[0] {
            case "mark": options.mark = UInt32(pair[1])
            case "source": options.sourceAddress = pair[1]
            case "interface": options.interface = pair[1]
            default: fatalError("no such option: \(option)")
            }
        }
        self.options = options
    }

    /// Carries out commands until the input ends.
    func serve() throws {
        while true {
            // The next command comes only after the answer to this one, so that none waits in a buffer.
            var requests = [pollfd(fd: 0, events: Int16(POLLIN), revents: 0)]
            if let watcher { requests.append(pollfd(fd: watcher.fileDescriptor, events: Int16(POLLIN), revents: 0)) }
            guard unsafe poll(&requests, nfds_t(requests.count), -1) > 0 else { continue }
            try watcher?.process()
            guard requests[0].revents != 0 else { continue }
            guard let line = readLine() else { return }
            say(try answer(to: line.split(separator: " ").map(String.init)))
        }
    }

    private func answer(to words: [String]) throws -> String {
        switch words.first {
        case "open": return try open()
        case "ask": return try target?.getFlags().isReachable == true ? "yes" : "no"
        case "available": return try other[0].getFlags().isReachable ? "yes" : "no"
        case "settle":
            try watcher?.process()
            queue.sync {}
            return "settled"
        case "cost": return "cost \(try cost(words.dropFirst().compactMap { Int($0) }))"
        case "spent":
            var usage = rusage()
            unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return "spent \(nanoseconds(CLOCK_PROCESS_CPUTIME_ID)) \(usage.ru_nvcsw)"
        default: return "unknown command: \(words)"
        }
    }

    private func open() throws -> String {
        let before = residentMemory()
        let start = nanoseconds(CLOCK_MONOTONIC)
        if isOnLoop { watcher = try ReachabilityWatcher() }
        let target = try watch(ReachabilityRef(address: text, options: options), as: "target")
        _ = try target.getFlags()
        let end = nanoseconds(CLOCK_MONOTONIC)
        let after = residentMemory()
        self.target = target
        other = [
            try watch(.defaultPath(), as: "default"),
            try watch(ReachabilityRef(address: Fence.address), as: "fence"),
        ]
        return "opened ReachabilityRef \(end - start) \(after - before)"
    }

    private func watch(_ reference: ReachabilityRef, as name: String) throws -> ReachabilityRef {
        if let watcher {
            // The first callback tells what is so already, and is no change.
            var isFirst = true
            _ = try watcher.add(reference) { _ in
                if !isFirst { say("told \(name) \(nanoseconds(CLOCK_MONOTONIC))") }
                isFirst = false
            }
            while isFirst {
                var request = pollfd(fd: watcher.fileDescriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&request, 1, -1)
                try watcher.process()
            }
            return reference
        }
        reference.setCallback { _ in say("told \(name) \(nanoseconds(CLOCK_MONOTONIC))") }
        try reference.setDispatchQueue(queue)
        return reference
    }

    private func cost(_ numbers: [Int]) throws -> Double {
        guard let target, numbers.count == 3 else { return .nan }
        let (count, addresses, networks) = (numbers[0], numbers[1], numbers[2])
        let others = try (0..<addresses).map { _ in
            let network = Int.random(in: 0..<networks)
            return try ReachabilityRef(address: "\(20 + (network >> 16)).\(network >> 8 & 255).\(network & 255).1")
        }
        let start = nanoseconds(CLOCK_MONOTONIC)
        for number in 0..<count {
            _ = try (addresses > 0 ? others[number % addresses] : target).getFlags()
        }
        return Double(nanoseconds(CLOCK_MONOTONIC) - start) / Double(count)
    }
}

/// Writes a line with one system call. Any thread may call it.
private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(1, bytes, bytes.count)
}
