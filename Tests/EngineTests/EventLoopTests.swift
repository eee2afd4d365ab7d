// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization
import TestHosts
import TestWaiting
import Testing

@testable import ReachabilityLinuxSystem

@Suite("The event loop", .timeLimit(.minutes(10)))
struct EventLoopTests {
    /// Whoever ends may do so before there is something to end.
    @Test(arguments: [false, true]) func `ends what is begun after its end`(isLate: Bool) {
        let (cancellation, count) = (LateCancellation(), Counter())
        let token = CancellationToken { count.increment() }
        if isLate { cancellation.cancel() }
        cancellation.hold(token)
        #expect(count.value == (isLate ? 1 : 0))
        cancellation.cancel()
        #expect(count.value == 1)
    }

    @Test func `runs timers when their moment has come, and not before`() throws {
        let held = try HeldLoop()
        try held.run { loop in
            loop.schedule(at: loop.now().advanced(by: .seconds(20))) { held.note("second") }
            loop.schedule(at: loop.now().advanced(by: .seconds(10))) { held.note("first") }
        }
        held.time.advance(.seconds(9))
        try held.run { _ in }
        #expect(held.words == [])
        held.time.advance(.seconds(1))
        try held.run { _ in }
        #expect(held.words == ["first"])
        held.time.advance(.seconds(10))
        try held.run { _ in }
        #expect(held.words == ["first", "second"])
    }

    @Test func `does not run a timer that another one of the same moment has cancelled`() throws {
        let held = try HeldLoop()
        try held.run { loop in
            let moment = loop.now().advanced(by: .seconds(1))
            let second = Handle()
            loop.schedule(at: moment) { loop.cancel(second.token!) }
            second.token = loop.schedule(at: moment) { held.note("cancelled") }
            loop.schedule(at: moment) { held.note("kept") }
        }
        held.time.advance(.seconds(1))
        try held.run { _ in }
        #expect(held.words == ["kept"])
    }

    /// What only the loop's thread touches.
    private final class Handle: @unchecked Sendable {
        var token: LoopTimer?
    }

    @Test func `sleeps until a timer of the real clock fires`() throws {
        let loop = try EventLoop(name: "real")
        defer { loop.stop() }
        let fired = DispatchSemaphore(value: 0)
        loop.enqueue { loop.schedule(at: loop.now().advanced(by: .milliseconds(1))) { fired.signal() } }
        #expect(fired.wait(timeout: .now() + 30) == .success)
    }

    @Test func `does what was enqueued before it was stopped, and nothing after`() throws {
        let held = try HeldLoop()
        let done = DispatchSemaphore(value: 0)
        let loop = held.loop
        loop.enqueue {
            loop.enqueue { held.note("inner") }
            loop.enqueue { done.signal() }
            loop.stop()
            loop.enqueue { held.note("late") }
        }
        #expect(done.wait(timeout: .now() + 30) == .success)
        loop.enqueue { held.note("later") }
        #expect(!held.words.contains("late") && !held.words.contains("later"))
    }

    /// As where the program has closed the loop's instance, in which the thread waits nevertheless.
    @Test func `does the work that its instance cannot be told of, and has failed`() async {
        await #expect(processExitsWith: .success) {
            FaultInjection.fail(.epollModify, with: .badDescriptor, skipping: 100, times: .max)
            for _ in 0..<20 {
                let loop = try EventLoop(name: "loop")
                let (done, told) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                loop.enqueue { loop.whenEnded { _ in told.signal() } }
                while loop.enqueue({ done.signal() }) { try done.wait(for: "the work") }
                try told.wait(for: "the failure")
                try #require(loop.failure == .badDescriptor)
            }
        }
    }

    @Test func `releases its handlers at its end`() throws {
        final class Object {}
        let (loop, watched) = (try EventLoop(), try EventLoop())
        weak var held: Object?
        var ends: [Errno?] = []
        loop.perform {
            loop.whenEnded { ends.append($0) }
            let object = Object()
            held = object
            try? loop.watch(watched.rawDescriptor, for: .readable) { _ in withExtendedLifetime(object) {} }
        }
        #expect(held != nil)
        loop.stop()
        loop.turn()
        #expect(ends == [nil])
        #expect(held == nil)
    }

    @Test func `makes a system call again that a signal has interrupted`() throws {
        var calls = 0
        let value = try valueOrErrno(.receive) { () -> Int in
            calls += 1
            errno = calls == 1 ? EINTR : EIO
            return calls == 1 ? -1 : 7
        }
        #expect(value == 7 && calls == 2)
    }

    @Test func `keeps the order of what one thread enqueues`() throws {
        let held = try HeldLoop()
        for number in 0..<1000 { held.loop.enqueue { held.note("\(number)") } }
        try held.run { _ in }
        #expect(held.words == (0..<1000).map(String.init))
    }

    @Test func `tells of a readable descriptor until it is unwatched`() throws {
        let held = try HeldLoop()
        let event = try EventDescriptor()
        let descriptor = event.rawDescriptor
        let told = DispatchSemaphore(value: 0)
        try held.run { loop in
            try? loop.watch(descriptor, for: .readable) { _ in
                loop.unwatch(descriptor)
                held.note("readable")
                told.signal()
            }
        }
        event.signal()
        #expect(told.wait(timeout: .now() + 30) == .success)
        event.signal()
        try held.run { _ in }
        #expect(held.words == ["readable"])
    }

    private static func descriptor(isReadable: Bool) throws -> Int32 {
        let event = try EventDescriptor()
        let copy = dup(event.rawDescriptor)
        if isReadable { event.signal() } else { event.drain() }
        return copy
    }

    @Test(
        "gives no event of a descriptor to the next one of its number, or to its next interest",
        arguments: [true, false])
    func former(isReplaced: Bool) throws {
        let held = try HeldLoop()
        // Both are readable at once, so one wait tells of both. Whichever comes first has the other watched anew.
        let pair = try [Self.descriptor(isReadable: true), Self.descriptor(isReadable: true)]
        defer { pair.forEach { close($0) } }
        try held.run { loop in
            for (own, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                try? loop.watch(own, for: .readable) { _ in
                    held.note("first")
                    loop.unwatch(own)
                    if isReplaced, let quiet = try? Self.descriptor(isReadable: false) {
                        loop.unwatch(other)
                        dup2(quiet, other)
                        close(quiet)
                    }
                    // Nothing of this kind ever comes to it.
                    try? loop.watch(other, for: isReplaced ? .readable : []) { _ in held.note("a former event") }
                }
            }
        }
        try held.run { _ in }
        #expect(held.words == ["first"])
        try held.run { loop in pair.forEach(loop.unwatch) }
    }

    /// In a process of its own, because it closes the descriptor.
    @Test func `tells that it has failed, first those who came last, and not those who have left`() async {
        await #expect(processExitsWith: .success) {
            // Otherwise Dispatch might open its epoll instance meanwhile, under the number that is closed.
            let opened = try NewDescriptors()
            let loop = try EventLoop()
            var told: [String] = []
            var tokens: [CancellationToken] = []
            loop.perform {
                for name in ["first", "second", "third"] {
                    tokens.append(loop.whenEnded { told.append("\(name) \($0!)") })
                }
                loop.whenEnded { _ in tokens[0].cancel() }
                loop.whenEnded(isForAll: true) { told.append("below \($0!)") }
                tokens[1].cancel()
            }
            opened.close("anon_inode:[eventpoll]")
            for _ in 0..<2 { loop.turn() }
            try #require(told == ["third Bad file descriptor", "below Bad file descriptor"])
            try #require(!loop.enqueue {} && loop.failure == .badDescriptor)
        }
    }
}

/// An event loop whose clock the test controls.
final class HeldLoop: Sendable {
    let time = ManualTime()
    let loop: EventLoop
    private let fired = Mutex<[String]>([])

    init() throws {
        loop = try EventLoop(name: "held", time: time)
    }

    deinit {
        loop.stop()
    }

    /// Runs `body` on the loop's thread and waits for it, and for the timers that are due then.
    func run(_ body: @escaping @Sendable (EventLoop) -> Void) throws {
        loop.enqueue { [loop] in body(loop) }
        let done = DispatchSemaphore(value: 0)
        loop.enqueue { [loop] in loop.schedule(at: loop.now()) { done.signal() } }
        // The kernel's timer uses the real clock, so the loop has to be woken to check this one.
        try ProcessState.wait("the loop has done its work") {
            loop.enqueue {}
            return done.wait(timeout: .now()) == .success
        }
    }

    func note(_ word: String) { fired.withLock { $0.append(word) } }
    var words: [String] { fired.withLock { $0 } }
}
