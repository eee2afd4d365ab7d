// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import ReachabilityReferences

/// The run loops a target is scheduled on: one source, in any number of loops and modes.
///
/// Changes between two passes of a loop become one callout, because the core keeps only one delivery under way. If
/// there are several loops, one of them is woken (SCDPrivate.c l.809, configd-1405).
final class RunLoopSchedule: CallbackRunner {
    private struct State {
        /// In the order of scheduling. The same loop and mode may be listed several times.
        var entries: [LoopAndMode] = []
        var work: [@Sendable () -> Void] = []
    }

    private let system: any RunLoopSystem
    private let source: CoreObject
    private let state: Lock<State>

    /// Nil if CoreFoundation cannot make a source.
    init?(_ system: any RunLoopSystem) {
        // The source holds this, so that it does not keep its schedule alive.
        let schedule = WeakOwner()
        let handlers = RunLoopSourceHandlers(perform: { (schedule.current?.object as? RunLoopSchedule)?.perform() })
        guard let source = system.makeSource(order: 0, handlers) else { return nil }
        self.system = system
        self.source = source
        state = Lock(State())
        schedule.current = Owner(object: self)
    }

    deinit {
        system.invalidate(source)
    }

    var isEmpty: Bool { state.withLock(\.entries.isEmpty) }

    /// Adds a loop and mode. If they are listed already, they need one more removal.
    func add(_ pair: LoopAndMode) {
        state.withLock { $0.entries.append(pair) }
        // CoreFoundation ignores a second addition.
        system.add(source, to: pair)
    }

    /// Removes one entry. Returns false if there is none.
    func remove(_ pair: LoopAndMode) -> Bool {
        let (isListed, isLast, isBusy) = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { system.isSame($0, pair) }) else {
                return (false, false, false)
            }
            state.entries.remove(at: index)
            return (true, !state.entries.contains { system.isSame($0, pair) }, !state.work.isEmpty)
        }
        if isLast { system.remove(source, from: pair) }
        // This loop may be the one that was woken for the waiting work.
        if isBusy { wake() }
        return isListed
    }

    func deliver(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.work.append(work) }
        system.signal(source)
        wake()
    }

    private func wake() { system.wakeOne(of: state.withLock(\.entries), for: source) }

    /// Called on the thread of a loop.
    private func perform() {
        let work = state.withLock { state in
            defer { state.work = [] }
            return state.work
        }
        for item in work { item() }
    }
}

extension LegacyTarget {
    /// ScheduleWithRunLoop.
    package func schedule(in pair: LoopAndMode?, of system: any RunLoopSystem) -> Bool {
        guard let pair else { return LegacyStatus.fail(.invalidArgument) }
        guard mayWatch else { return false }
        let owner = owner.current
        return state.withLock { state in
            switch state.schedule {
            case .onQueue:
                return LegacyStatus.fail(.invalidArgument)
            case .onRunLoops(let schedule):
                schedule.add(pair)
            case .idle:
                guard let schedule = RunLoopSchedule(system) else { return LegacyStatus.fail(.invalidArgument) }
                schedule.add(pair)
                guard start(on: .target(schedule)) else {
                    _ = schedule.remove(pair)
                    return false
                }
                state.schedule = .onRunLoops(schedule)
                state.keptAlive = owner
            }
            return true
        }
    }

    /// UnscheduleFromRunLoop. A loop and mode that are not listed are refused, as by configd up to 453.
    package func unschedule(from pair: LoopAndMode?) -> Bool {
        guard let pair else { return LegacyStatus.fail(.invalidArgument) }
        guard mayWatch else { return false }
        let outcome = state.withLock { state -> (Bool, Owner?) in
            guard case .onRunLoops(let schedule) = state.schedule, schedule.remove(pair) else {
                return (LegacyStatus.fail(.invalidArgument), nil)
            }
            return (true, schedule.isEmpty ? stop(&state) : nil)
        }
        return withExtendedLifetime(outcome.1) { outcome.0 }
    }
}

/// CoreFoundation's run loops. The Swift module is linked to them; the C library uses those its client has loaded.
package protocol RunLoopSystem: Sendable {
    /// Makes a version 0 source.
    func makeSource(order: Int, _ handlers: RunLoopSourceHandlers) -> CoreObject?
    /// Retains an object.
    func hold(_ pointer: UnsafeMutableRawPointer) -> CoreObject
    func invalidate(_ source: CoreObject)
    func add(_ source: CoreObject, to pair: LoopAndMode)
    func remove(_ source: CoreObject, from pair: LoopAndMode)
    func signal(_ source: CoreObject)
    func wake(_ loop: CoreObject)
    /// Whether the loop sleeps in a mode that has the source.
    func isWaiting(_ loop: CoreObject, for source: CoreObject) -> Bool
    /// CFEqual.
    func isEqual(_ left: CoreObject, _ right: CoreObject) -> Bool
}

extension RunLoopSystem {
    func isSame(_ left: LoopAndMode, _ right: LoopAndMode) -> Bool {
        unsafe left.loop.pointer == right.loop.pointer && isEqual(left.mode, right.mode)
    }

    /// Wakes a loop: the first that waits for the source, or else the first of all.
    func wakeOne(of pairs: [LoopAndMode], for source: CoreObject) {
        guard let pair = pairs.first(where: { isWaiting($0.loop, for: source) }) ?? pairs.first else { return }
        wake(pair.loop)
    }
}

/// What a source does: an object, because C passes it on as the source's `info`. The source holds it as long as it lives.
package final class RunLoopSourceHandlers: Sendable {
    /// Called on the thread of a loop that the source was added to.
    package let perform: @Sendable () -> Void
    /// Called after the source was added to a mode of a loop.
    package let added: @Sendable (LoopAndMode) -> Void
    /// Called after the source was removed from a mode of a loop, also if it was invalidated.
    package let removed: @Sendable (LoopAndMode) -> Void

    package init(
        perform: @escaping @Sendable () -> Void, added: @escaping @Sendable (LoopAndMode) -> Void = { _ in },
        removed: @escaping @Sendable (LoopAndMode) -> Void = { _ in }
    ) {
        self.perform = perform
        self.added = added
        self.removed = removed
    }

    /// The handlers of a source.
    package static func of(_ info: UnsafeMutableRawPointer?) -> RunLoopSourceHandlers {
        unsafe Unmanaged<RunLoopSourceHandlers>.fromOpaque(info!).takeUnretainedValue()
    }

    /// The `info` for a new source, which releases it with `release`.
    package func retainedInfo() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }

    package static func release(_ info: UnsafeMutableRawPointer?) {
        unsafe Unmanaged<RunLoopSourceHandlers>.fromOpaque(info!).release()
    }
}

/// A run loop and one of its modes.
package struct LoopAndMode: Sendable {
    package let loop: CoreObject
    package let mode: CoreObject

    package init(loop: CoreObject, mode: CoreObject) {
        self.loop = loop
        self.mode = mode
    }
}

/// An object of CoreFoundation, retained as long as this one lives.
@safe
package final class CoreObject: @unchecked Sendable {
    // Only the run loop functions get the pointer, and they may be called from any thread.
    package let pointer: UnsafeMutableRawPointer
    private let release: @Sendable (UnsafeMutableRawPointer) -> Void

    /// Takes over one reference, which `release` releases.
    package init(_ pointer: UnsafeMutableRawPointer, release: @escaping @Sendable (UnsafeMutableRawPointer) -> Void) {
        unsafe self.pointer = pointer
        unsafe self.release = unsafe release
    }

    deinit {
        unsafe release(pointer)
    }
}
