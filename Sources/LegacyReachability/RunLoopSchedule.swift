// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import Synchronization

/// The run loops a target is scheduled on: one source, in many places.
///
/// Changes between two passes of a loop become one callout, since the source is signalled and the core keeps only one
/// delivery under way. Of several loops one is woken (SCDPrivate.c l.809, configd-1405).
final class RunLoopSchedule: DeliveryTarget {
    private struct State {
        /// In the order of scheduling; the same place may be there several times.
        var places: [RunLoopPlace] = []
        var work: [@Sendable () -> Void] = []
    }

    private let system: any RunLoopSystem
    private let source: CoreObject
    private let state: Mutex<State>

    /// Nil where CoreFoundation cannot make a source.
    init?(_ system: any RunLoopSystem) {
        let relay = Relay()
        guard let source = system.makeSource({ relay.schedule.withLock(\.object)?.perform() }) else { return nil }
        self.system = system
        self.source = source
        state = Mutex(State())
        relay.schedule.withLock { $0.object = self }
    }

    deinit {
        system.invalidate(source)
    }

    var isEmpty: Bool { state.withLock(\.places.isEmpty) }

    /// Adds a place; one that is there already needs one more removal.
    func add(_ place: RunLoopPlace) {
        state.withLock { $0.places.append(place) }
        // Adding twice is one membership to CoreFoundation.
        system.add(source, to: place)
    }

    /// Removes one entry of a place. False where there is none.
    func remove(_ place: RunLoopPlace) -> Bool {
        let (isListed, isLast, isBusy) = state.withLock { state in
            guard let index = state.places.firstIndex(where: { isSame($0, place) }) else {
                return (false, false, false)
            }
            state.places.remove(at: index)
            return (true, !state.places.contains { isSame($0, place) }, !state.work.isEmpty)
        }
        if isLast { system.remove(source, from: place) }
        // The loop that was woken for it may have been this one.
        if isBusy { wakeOne() }
        return isListed
    }

    func deliver(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.work.append(work) }
        system.signal(source)
        wakeOne()
    }

    /// Wakes the only loop; of several the first that waits for the source, else the first that was scheduled.
    private func wakeOne() {
        let loops = state.withLock { $0.places.map(\.loop) }
        guard let first = loops.first else { return }
        let isOnly = loops.allSatisfy { unsafe $0.pointer == first.pointer }
        system.wake(isOnly ? first : loops.first { system.isWaiting($0, for: source) } ?? first)
    }

    /// Runs on the thread of a loop.
    private func perform() {
        let work = state.withLock { state in
            defer { state.work = [] }
            return state.work
        }
        for item in work { item() }
    }

    private func isSame(_ left: RunLoopPlace, _ right: RunLoopPlace) -> Bool {
        unsafe left.loop.pointer == right.loop.pointer && system.isEqual(left.mode, right.mode)
    }
}

/// What the source's callback holds: a way to the schedule that does not keep it alive.
private final class Relay: Sendable {
    struct Reference {
        weak var object: RunLoopSchedule?
    }

    let schedule = Mutex(Reference())
}

extension LegacyTarget {
    /// ScheduleWithRunLoop.
    package func schedule(in place: RunLoopPlace?, of system: any RunLoopSystem) -> Bool {
        guard let place else { return Self.refuse() }
        guard mayWatch else { return false }
        let owner = currentOwner
        return state.withLock { state in
            switch state.schedule {
            case .onQueue:
                return Self.refuse()
            case .onRunLoops(let schedule):
                schedule.add(place)
            case .idle:
                guard let schedule = RunLoopSchedule(system) else { return Self.refuse() }
                schedule.add(place)
                guard start(on: .target(schedule)) else {
                    _ = schedule.remove(place)
                    return false
                }
                state.schedule = .onRunLoops(schedule)
                state.keptAlive = owner
            }
            return true
        }
    }

    /// UnscheduleFromRunLoop. A place that is not listed is refused, as configd did up to 453.
    package func unschedule(from place: RunLoopPlace?) -> Bool {
        guard let place else { return Self.refuse() }
        guard mayWatch else { return false }
        let outcome = state.withLock { state -> (Bool, Owner?) in
            guard case .onRunLoops(let schedule) = state.schedule, schedule.remove(place) else {
                return (Self.refuse(), nil)
            }
            return (true, schedule.isEmpty ? stop(&state) : nil)
        }
        return withExtendedLifetime(outcome.1) { outcome.0 }
    }
}
