// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import ReachabilityLinuxSystem
import Synchronization

@_implementationOnly import CReachabilityTesting

/// A program to run in its own process.
struct Program: Sendable {
    var arguments: [String]
    var environment: [String]
    /// A process that writes nothing to its event stream for this long is considered to hang, and is killed.
    var limit: Duration
    /// Whether it counts against the limit of processes, and has its stacks shown if it hangs. The debugger that shows the stacks
    /// does not.
    var isTest = true
}

/// How a process ended, and its output.
struct Ending: Sendable {
    enum Manner: Sendable, Equatable {
        case status(Int32)
        case signal(Int32)
        case killed(after: Duration)
    }

    let manner: Manner
    let stream: [UInt8]
    let output: String
}

/// Runs processes, at most two for each processor at a time.
///
/// One thread, which never ends, starts all of them and waits for them, because the kernel kills a child when the thread that
/// started it ends (PR_SET_PDEATHSIG, prctl(2)).
final class ProcessRunner: Sendable {
    static let shared = Result { () throws(Errno) in try ProcessRunner() }

    private struct Places {
        var free = 2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        var waiting: [@Sendable () -> Void] = []
    }

    fileprivate let loop: EventLoop
    private let places = Mutex(Places())

    private init() throws(Errno) {
        loop = try EventLoop(name: "test processes")
    }

    /// Runs a program until it ends.
    static func run(_ program: Program) async throws(Errno) -> Ending {
        let runner = try shared.get()
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Ending, Errno>, Never>) in
            let start: @Sendable () -> Void = {
                runner.start(program) { result in
                    runner.leavePlace()
                    continuation.resume(returning: result)
                }
            }
            if !runner.loop.enqueue({ runner.takePlace(for: start) }) {
                continuation.resume(returning: .failure(runner.loop.failure ?? .cancelled))
            }
        }
        return try result.get()
    }

    private func takePlace(for start: @escaping @Sendable () -> Void) {
        let hasPlace = places.withLock { places in
            if places.free > 0 {
                places.free -= 1
                return true
            }
            places.waiting.append(start)
            return false
        }
        if hasPlace { start() }
    }

    private func leavePlace() {
        let next = places.withLock { places -> (@Sendable () -> Void)? in
            if !places.waiting.isEmpty { return places.waiting.removeFirst() }
            places.free += 1
            return nil
        }
        next?()
    }

    /// Calls `done` on the loop's thread.
    fileprivate func start(_ program: Program, _ done: @escaping (Result<Ending, Errno>) -> Void) {
        do throws(Errno) {
            try TestProcess(program, self, done).follow()
        } catch {
            done(.failure(error))
        }
    }
}

/// A process, on the loop's thread. The loop's handlers keep it alive until it has ended.
private final class TestProcess {
    private let program: Program
    private let runner: ProcessRunner
    private let done: (Result<Ending, Errno>) -> Void
    private let number: pid_t
    private let end: OwnedDescriptor
    private let stream: OwnedDescriptor
    private let output: OwnedDescriptor
    private var streamed: [UInt8] = []
    private var silence: LoopTimer?
    private var stacks = ""
    private var isHung = false
    private var isOver = false

    init(
        _ program: Program, _ runner: ProcessRunner, _ done: @escaping (Result<Ending, Errno>) -> Void
    ) throws(Errno) {
        var ends: [Int32] = [-1, -1]
        _ = try valueOrErrno(.open) { unsafe reachability_testing_open_pipe(&ends) }
        stream = OwnedDescriptor(owning: ends[0])
        let written = OwnedDescriptor(owning: ends[1])
        output = try OwnedDescriptor(.open) { reachability_testing_open_memory() }
        var (number, end): (pid_t, Int32) = (0, -1)
        var arguments = unsafe program.arguments.map { unsafe strdup($0) } + [nil]
        var environment = unsafe program.environment.map { unsafe strdup($0) } + [nil]
        let error = unsafe reachability_testing_start(
            &arguments, &environment, written.rawValue, output.rawValue, &number, &end)
        unsafe (arguments + environment).forEach { unsafe free($0) }
        guard error == 0 else { throw Errno(rawValue: error) }
        self.end = OwnedDescriptor(owning: end)
        (self.program, self.runner, self.done, self.number) = (program, runner, done, number)
    }

    func follow() throws(Errno) {
        do throws(Errno) {
            // The end of the stream is not the end of the process, and another process that it started may keep the stream open.
            try runner.loop.watch(end.rawValue, for: .readable) { [self] _ in finish() }
            try runner.loop.watch(stream.rawValue, for: .readable) { [self] _ in
                if !read() { runner.loop.unwatch(stream.rawValue) }
                expectMore()
            }
            expectMore()
        } catch {
            release()
            reachability_testing_kill(number)
            _ = reachability_testing_wait(number)
            throw error
        }
    }

    private func expectMore() {
        if let silence { runner.loop.cancel(silence) }
        silence = runner.loop.schedule(at: runner.loop.now().advanced(by: program.limit)) { [self] in hang() }
    }

    /// Reads what is in the pipe. Returns false at its end.
    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe ReachabilityLinuxSystem.read(stream.rawValue, &buffer, buffer.count)
            guard count > 0 else { return count < 0 }
            streamed += buffer[..<count]
        }
    }

    /// Shows the stack of each thread, and kills the process.
    private func hang() {
        guard !isHung else { return }
        isHung = true
        guard program.isTest else { return reachability_testing_kill(number) }
        let debugger = Program(
            arguments: [
                "gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p", "\(number)", "-ex",
                "thread apply all backtrace",
            ], environment: program.environment, limit: .seconds(60), isTest: false)
        runner.start(debugger) { [self] result in
            guard !isOver else { return }
            if case .success(let ending) = result { stacks = ending.output }
            reachability_testing_kill(number)
        }
    }

    private func finish() {
        _ = read()
        release()
        let status = reachability_testing_wait(number)
        let manner: Ending.Manner =
            isHung ? .killed(after: program.limit) : status < 0 ? .signal(-status) : .status(status)
        let text: String
        do throws(Errno) {
            let bytes = try Files.contents(of: "/proc/self/fd/\(output.rawValue)", limit: 64 << 20)
            text = String(decoding: bytes, as: UTF8.self)
        } catch {
            text = "(Its output cannot be read: \(error).)\n"
        }
        done(.success(Ending(manner: manner, stream: streamed, output: text + stacks)))
    }

    private func release() {
        isOver = true
        runner.loop.unwatch(end.rawValue)
        runner.loop.unwatch(stream.rawValue)
        if let silence { runner.loop.cancel(silence) }
    }
}
#endif
