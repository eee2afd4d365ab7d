// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestHosts
import Testing

@testable import SystemConfigurationCore

@Suite("The thread for callbacks")
struct CallbackThreadTests {
    @Test func `is one for all targets, until the last lets it go`() throws {
        var first: CallbackThread? = try CallbackThread.current()
        var second: CallbackThread? = try CallbackThread.current()
        #expect(first === second)
        weak var thread: CallbackThread?
        thread = first
        first = nil
        #expect(try CallbackThread.current() === second)
        second = nil
        #expect(thread == nil)
    }
}

/// Records the calls of CoreFoundation's functions: with real run loops a test cannot determine which of several wakes.
@Suite("A schedule on run loops")
struct ScheduleTests {
    private final class ScriptedSystem: RunLoopSystem {
        struct State {
            var perform: (@Sendable () -> Void)?
            var waiting: Set<Int> = []
            var calls: [String] = []
        }

        let state = Mutex(State())

        static func number(_ object: CoreObject) -> Int { Int(bitPattern: object.pointer) }
        private func note(_ call: String) { state.withLock { $0.calls.append(call) } }
        /// Returns the calls since the last time.
        func takeCalls() -> [String] {
            state.withLock { state in
                defer { state.calls = [] }
                return state.calls
            }
        }

        func makeSource(order: Int, _ handlers: RunLoopSourceHandlers) -> CoreObject? {
            state.withLock { $0.perform = handlers.perform }
            return ScheduleTests.object(1)
        }
        func hold(_ pointer: UnsafeMutableRawPointer) -> CoreObject { ScheduleTests.object(Int(bitPattern: pointer)) }

        func invalidate(_ source: CoreObject) { note("invalidate") }
        func add(_ source: CoreObject, to pair: LoopAndMode) {
            note("add to \(Self.number(pair.loop)) \(Self.number(pair.mode))")
        }
        func remove(_ source: CoreObject, from pair: LoopAndMode) {
            note("remove from \(Self.number(pair.loop)) \(Self.number(pair.mode))")
        }
        func signal(_ source: CoreObject) { note("signal") }
        func wake(_ loop: CoreObject) { note("wake \(Self.number(loop))") }
        func isWaiting(_ loop: CoreObject, for source: CoreObject) -> Bool {
            state.withLock { $0.waiting.contains(Self.number(loop)) }
        }
        func isEqual(_ left: CoreObject, _ right: CoreObject) -> Bool { Self.number(left) == Self.number(right) }
    }

    private static func object(_ number: Int) -> CoreObject {
        CoreObject(UnsafeMutableRawPointer(bitPattern: number)!) { _ in }
    }

    private static func pair(_ loop: Int, _ mode: Int = 100) -> LoopAndMode {
        LoopAndMode(loop: object(loop), mode: object(mode))
    }

    private let system = ScriptedSystem()

    @Test("wakes another loop if the one that was woken is removed before the call")
    func wokenLoopLeaves() throws {
        let schedule = try #require(RunLoopSchedule(system))
        schedule.add(Self.pair(10))
        schedule.add(Self.pair(20))
        system.state.withLock { $0.waiting = [10] }
        _ = system.takeCalls()
        let calls = Counter()
        schedule.deliver { calls.increment() }
        #expect(system.takeCalls() == ["signal", "wake 10"])
        system.state.withLock { $0.waiting = [] }
        #expect(schedule.remove(Self.pair(10)))
        #expect(system.takeCalls() == ["remove from 10 100", "wake 20"])
        system.state.withLock(\.perform)?()
        #expect(calls.value == 1)
        // Without work, a removal wakes no loop.
        schedule.add(Self.pair(30))
        _ = system.takeCalls()
        #expect(schedule.remove(Self.pair(30)))
        #expect(system.takeCalls() == ["remove from 30 100"])
    }

    @Test("wakes a loop that waits, if there are several")
    func waitingLoop() throws {
        let schedule = try #require(RunLoopSchedule(system))
        schedule.add(Self.pair(10))
        schedule.add(Self.pair(20))
        system.state.withLock { $0.waiting = [20] }
        _ = system.takeCalls()
        schedule.deliver {}
        #expect(system.takeCalls() == ["signal", "wake 20"])
    }

    @Test("distinguishes the modes of one loop")
    func modes() throws {
        let schedule = try #require(RunLoopSchedule(system))
        schedule.add(Self.pair(10, 100))
        #expect(!schedule.remove(Self.pair(10, 200)))
        #expect(!schedule.isEmpty)
        #expect(schedule.remove(Self.pair(10, 100)))
        #expect(schedule.isEmpty)
    }
}
