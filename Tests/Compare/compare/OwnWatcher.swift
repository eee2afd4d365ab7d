// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ReachabilityKit
import TestTopology

/// This package behind the protocol of lines that each watcher speaks. It tells changes of the target, of the default
/// path and of the fence (see `WatchedNetwork`).
final class OwnWatcher {
    private let queue = DispatchQueue(label: "callbacks")
    private let text: String
    private let options: ReachabilityOptions
    private var target: ReachabilityRef?
    private var other: [ReachabilityRef] = []

    /// - Parameter words: the target, and keys in the form that `ip route get` takes.
    init(_ words: [String]) {
        text = words[0]
        var options = ReachabilityOptions()
        for (key, value) in zip(words.dropFirst(), words.dropFirst(2)) {
            switch key {
            case "mark": options.mark = UInt32(value)
            case "from": options.sourceAddress = value
            case "oif": options.interface = value
            default: break
            }
        }
        self.options = options
    }

    /// Obeys commands until the end of the input.
    func serve() throws {
        while let line = readLine() {
            say(try answer(to: line.split(separator: " ").map(String.init)))
        }
    }

    private func answer(to words: [String]) throws -> String {
        switch words.first {
        case "open": return try open()
        case "ask": return try target?.getFlags().isReachable == true ? "yes" : "no"
        case "available": return try other[0].getFlags().isReachable ? "yes" : "no"
        case "settle":
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
        let target = try watch(ReachabilityRef(address: text, options: options), as: "target")
        _ = try target.getFlags()
        let end = nanoseconds(CLOCK_MONOTONIC)
        let after = residentMemory()
        self.target = target
        other = [
            try watch(.defaultPath(), as: "default"),
            try watch(ReachabilityRef(address: WatchedNetwork.fence), as: "fence"),
        ]
        return "opened ReachabilityRef \(end - start) \(after - before)"
    }

    private func watch(_ reference: ReachabilityRef, as name: String) throws -> ReachabilityRef {
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

/// Writes a whole line. May be called on any thread.
private func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(1, bytes, bytes.count)
}
