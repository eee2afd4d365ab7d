// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import ReachabilityLinuxSystem
import ReachabilityReferences

/// Where a session calls its client: a dispatch queue, or the run loops that its source was added to. A scheduled session
/// holds its owner, as configd's does.
extension StoreSession {
    /// SetDispatchQueue. Nil unschedules.
    package func setQueue(_ place: CallbackPlace?) -> Bool {
        guard mayWatch else { return false }
        guard let place else { return unscheduleFromQueue() }
        let owner = owner.current
        let isScheduled = state.withLock { state in
            guard case .idle = state.schedule else { return false }
            state.begin(.onQueue(place), owner)
            return true
        }
        guard isScheduled else { return LegacyStatus.fail(.notifierActive) }
        deliverChanges()
        return true
    }

    private func unscheduleFromQueue() -> Bool {
        let (wasScheduled, released) = state.withLock { state -> (Bool, Owner?) in
            guard case .onQueue = state.schedule else { return (false, nil) }
            return (true, state.end())
        }
        // The owner is released here, as its deinitializer must not run under the lock.
        return withExtendedLifetime(released) { wasScheduled || LegacyStatus.fail(.invalidArgument) }
    }

    /// CreateRunLoopSource. While the session's source is in a run loop, this is the same one each time. The source holds
    /// the session's owner.
    package func runLoopSource(order: Int, of system: any RunLoopSystem) -> CoreObject? {
        guard mayWatch, let owner = owner.current else { return nil }
        switch state.withLock(\.schedule) {
        case .idle: break
        case .onQueue: return LegacyStatus.fail(.notifierActive)
        case .onRunLoops(let source): return source.object
        }
        let slot = SourceAddress()
        let handlers = RunLoopSourceHandlers(
            perform: { [self] in withExtendedLifetime(owner) { callClient(forSchedule: nil) } },
            added: { [self] in sourceWasAdded(slot, to: $0, of: system) },
            removed: { [self] in sourceWasRemoved(slot, from: $0, of: system) })
        guard let source = system.makeSource(order: order, handlers) else { return LegacyStatus.fail(.failed) }
        slot.value.withLock { $0 = unsafe UInt(bitPattern: source.pointer) }
        return source
    }

    private func sourceWasAdded(_ slot: SourceAddress, to pair: LoopAndMode, of system: any RunLoopSystem) {
        guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: slot.value.withLock(\.self)) else { return }
        let object = unsafe system.hold(pointer)
        let owner = owner.current
        state.withLock { state in
            switch state.schedule {
            case .idle: state.begin(.onRunLoops(StoreSource(object: object, system: system, loops: [pair])), owner)
            case .onRunLoops(var source):
                source.loops.append(pair)
                state.schedule = .onRunLoops(source)
            // configd ignores a source that is added while a queue is set.
            case .onQueue: break
            }
        }
        deliverChanges()
    }

    private func sourceWasRemoved(_ slot: SourceAddress, from pair: LoopAndMode, of system: any RunLoopSystem) {
        let released = state.withLock { state -> (Owner?, StoreSource?) in
            guard case .onRunLoops(var source) = state.schedule,
                let index = source.loops.firstIndex(where: { source.system.isSame($0, pair) })
            else { return (nil, nil) }
            source.loops.remove(at: index)
            guard source.loops.isEmpty else {
                state.schedule = .onRunLoops(source)
                return (nil, nil)
            }
            return (state.end(), source)
        }
        withExtendedLifetime(released) {}
        // This loop may be the one that was woken.
        deliverChanges()
    }

    // MARK: Delivery

    /// Has the client called soon if keys have changed. Several changes until then lead to one call.
    func deliverChanges() {
        guard callout != nil else { return }
        let due = state.withLock { state -> (Schedule, Int)? in
            guard !state.changed.isEmpty, state.delivery != .calling else { return nil }
            let claim = StoreSession.Delivery.claimed(schedule: state.scheduleNumber)
            switch state.schedule {
            case .idle: return nil
            case .onQueue where state.delivery == claim: return nil
            // A loop that was woken may have left. It does no harm to wake another.
            case .onQueue, .onRunLoops:
                state.delivery = claim
                return (state.schedule, state.scheduleNumber)
            }
        }
        guard let (schedule, number) = due else { return }
        switch schedule {
        case .idle: break
        case .onQueue(.queue(let queue)): queue.async { [self] in callClient(forSchedule: number) }
        case .onQueue(.target(let target)): target.deliver { [self] in callClient(forSchedule: number) }
        case .onRunLoops(let source):
            source.system.signal(source.object)
            source.system.wakeOne(of: source.loops, for: source.object)
        }
    }

    /// Called where the session is scheduled.
    ///
    /// - Parameter number: the schedule that the call is for; nil on a run loop, whose source no longer calls once it was
    ///   removed.
    private func callClient(forSchedule number: Int?) {
        undisturbed {
            let keys = state.withLock { state -> [String]? in
                // Another loop may be calling the client, and comes back when it has.
                guard number ?? state.scheduleNumber == state.scheduleNumber, state.delivery != .calling else {
                    return nil
                }
                state.delivery = .calling
                defer { state.changed = [] }
                return state.changed.sorted()
            }
            guard let keys else { return }
            if !keys.isEmpty, let callout, let owner = owner.current { callingOut { callout(owner.object, keys) } }
            // Not earlier: the next call would run beside this one, on a concurrent queue or on another loop.
            state.withLock { $0.delivery = .none }
            deliverChanges()
        }
    }
}

extension StoreSession.State {
    fileprivate mutating func begin(_ schedule: StoreSession.Schedule, _ owner: Owner?) {
        self.schedule = schedule
        scheduleNumber += 1
        keptAlive = owner
    }

    /// The caller releases the result outside the lock.
    fileprivate mutating func end() -> Owner? {
        defer { keptAlive = nil }
        schedule = .idle
        scheduleNumber += 1
        return keptAlive
    }
}

/// A session's source while it is in run loops.
struct StoreSource: Sendable {
    let object: CoreObject
    let system: any RunLoopSystem
    /// The loops and modes it was added to.
    var loops: [LoopAndMode]
}

/// The address of a source, for its own handlers. It holds no reference, because the source holds the handlers.
private final class SourceAddress: Sendable {
    let value = Lock(UInt(0))
}
