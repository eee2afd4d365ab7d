// SPDX-License-Identifier: Apache-2.0

import CReachabilityTesting
import Dispatch
import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import Synchronization
import TestTopology

/// Forks beside the first calls of a process, in many processes. A first call makes the metadata of types under locks of Swift's
/// runtime, and a child that was forked meanwhile would wait for such a lock for ever.
enum FirstForks {
    /// The moment at which all threads of a process begin.
    private final class Start: Sendable {
        let present = Atomic(0)
        let isDue = Atomic(false)
        let hasFailed = Atomic(false)
    }

    /// How often each process forks.
    private static let perProcess = 10

    typealias Call = @Sendable () throws -> Bool

    /// What each thread and each child of a process does, in an order of its own.
    enum Calls: String, CaseIterable {
        case core, apple

        fileprivate var all: [Call] {
            switch self {
            case .core: FirstForks.calls
            case .apple: AppleCalls.all
            }
        }
    }

    private static let calls: [Call] = [
        { try ReachabilityRef(address: "10.0.0.7").getFlags().isReachable },
        { try ReachabilityRef(hostname: "localhost").getFlags().isReachable },
        { try ReachabilityRef.defaultPath().getFlags().isReachable },
        { try ReachabilityRef(local: "10.0.0.1", remote: "192.0.2.1").explain().flags.isReachable },
        {
            let watcher = try ReachabilityWatcher()
            var told = false
            try watcher.add(ReachabilityRef(address: "192.0.2.1")) { told = $0.isReachable }
            var request = pollfd(fd: watcher.fileDescriptor, events: Int16(POLLIN), revents: 0)
            while !told, unsafe poll(&request, 1, 5000) == 1 { try watcher.process() }
            return told
        },
        {
            // No function of libdispatch works in the child of a fork, and tasks run on its threads.
            guard !ForkEpoch.isChild else { return true }
            let told = DispatchSemaphore(value: 0)
            let reference = try ReachabilityRef(address: "192.0.2.1")
            let token = try reference.observe { _ in told.signal() }
            try told.wait(for: "the first flags")
            token.cancel()
            reference.setCallback { _ in }
            try reference.setDispatchQueue(.global())
            try reference.setDispatchQueue(nil)
            return try reference.explain().flags.isReachable
        },
        {
            let (path, reference) = (try PathSource().current(), try ReachabilityRef(address: "192.0.2.1"))
            return path.ipv4 != nil && "\(reference)".utf8.count > 9
        },
        { (try? ReachabilityRef(address: "no address")) == nil },
        {
            let socket = connectedSocket()
            defer { close(socket) }
            let state = try SocketFate(of: socket).current()
            if case .viable = state.fate { return true } else { return false }
        },
        {
            guard !ForkEpoch.isChild else { return true }
            let (socket, told) = (connectedSocket(), DispatchSemaphore(value: 0))
            defer { close(socket) }
            let fate = try SocketFate(of: socket)
            try fate.setHandler(on: .global()) { _ in told.signal() }
            try told.wait(for: "the first fate")
            try fate.setHandler(on: .global(), nil)
            return true
        },
        {
            guard !ForkEpoch.isChild else { return true }
            let reference = try ReachabilityRef(address: "192.0.2.1")
            reference.recheck()
            guard try inTask({ (try? await RequestGate(to: reference).pass()) != nil }) else { return false }
            return reference.statistics.lookupMethod == .netlink
        },
        {
            guard !ForkEpoch.isChild else { return true }
            // A server that refuses each question.
            var options = ReachabilityOptions()
            options.nameServers = ["127.0.0.1:9"]
            let reference = try ReachabilityRef(hostname: "a.test", options: options)
            return try inTask { (try? await reference.flags())?.isEmpty == true }
        },
    ]

    /// What a task finds. No generic type, whose metadata would be made beside a fork.
    private final class Finding: Sendable {
        let isRight = Atomic(false)
        let isThere = DispatchSemaphore(value: 0)
    }

    private static func inTask(_ isRight: @escaping @Sendable () async -> Bool) throws -> Bool {
        let finding = Finding()
        Task.detached {
            finding.isRight.store(await isRight(), ordering: .relaxed)
            finding.isThere.signal()
        }
        try finding.isThere.wait(for: "a task")
        return finding.isRight.load(ordering: .relaxed)
    }

    /// A UDP socket that is connected to an address behind the router.
    private static func connectedSocket() -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var end = sockaddr_in()
        (end.sin_family, end.sin_port) = (sa_family_t(AF_INET), 9 << 8)
        end.sin_addr.s_addr = unsafe inet_addr("192.0.2.1")
        unsafe withUnsafeBytes(of: &end) { bytes in
            let address = unsafe bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            _ = unsafe connect(descriptor, address, socklen_t(bytes.count))
        }
        return descriptor
    }

    /// Makes so many forks beside the calls of each kind, in as many processes as that takes. Returns whether all children ended
    /// well.
    static func run(_ count: Int) throws -> Bool {
        let topology = try Machine.routed()
        return try Calls.allCases.map { try run(count, beside: $0, in: topology) }.allSatisfy(\.self)
    }

    private static func run(_ count: Int, beside calls: Calls, in topology: Machine) throws -> Bool {
        let program = Files.linkTarget(of: "/proc/self/exe") ?? CommandLine.arguments[0]
        let processes = (count + perProcess - 1) / perProcess
        var failed = 0
        for number in 1...processes {
            do {
                _ = try topology.run { try CallingThread.execute([program, "first-forks", calls.rawValue]) }
            } catch {
                failed += 1
                say("\(error)")
            }
            if number.isMultiple(of: 100) {
                say("\(number * perProcess) first forks, \(calls), problems in \(failed) processes")
            }
        }
        say(
            "\(processes * perProcess) forks beside first calls (\(calls)) of \(processes) processes: "
                + "problems in \(failed) of them")
        return failed == 0
    }

    /// One of these processes. Returns its exit status, and says on its standard error what was wrong.
    static func runProcess(_ calls: Calls) throws -> Int32 {
        // What is this program's own is made before anything is forked: the table, and the threads.
        let calls = calls.all
        precondition(serve(0, among: [{ true }]) && !calls.isEmpty)
        let start = Start()
        let threads = try (0..<4).map { first in
            try TestThread("asker \(first)") {
                start.present.add(1, ordering: .relaxed)
                while !start.isDue.load(ordering: .acquiring) {}
                guard !serve(first, among: calls) else { return }
                complain("an answer of thread \(first) is wrong")
                start.hasFailed.store(true, ordering: .relaxed)
            }
        }
        while start.present.load(ordering: .relaxed) < threads.count {}
        start.isDue.store(true, ordering: .releasing)
        let children = (0..<perProcess).map { number in
            let child = forkProcess()
            if child == 0 { _exit(serve(number, among: calls) ? 0 : 1) }
            return child
        }
        for thread in threads { try thread.join() }
        var status: Int32 = start.hasFailed.load(ordering: .relaxed) ? 1 : 0
        for (number, child) in children.enumerated() {
            if reachability_testing_ends_within(child, 10) == 0 {
                complain("child \(number) hangs:\n\(Forks.end(child))")
                status = 1
            }
            let ended = reachability_testing_wait_for_child(child)
            if ended != 0 {
                complain("child \(number) ended with \(ended)")
                status = 1
            }
        }
        return status
    }

    /// Makes all calls, beginning with one of them. Returns whether all answers are right.
    private static func serve(_ first: Int, among calls: [Call]) -> Bool {
        for index in calls.indices {
            do {
                guard try calls[(first + index) % calls.count]() else { return false }
            } catch {
                return false
            }
        }
        return true
    }

    /// The other process passes this on.
    private static func complain(_ problem: String) { say(problem, on: 2) }
}
