// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityReferences

/// The inside of an `SCNetworkReachability`, in Swift and in C: a reference of the core, and Apple's rules for the
/// order of calls.
///
/// It lives as long as its owner, the object that clients hold. While scheduled it holds its owner in turn: releasing a
/// scheduled target neither frees it nor stops its callbacks (configd-1405).
package final class LegacyTarget: Sendable {
    package typealias Callout = @Sendable (_ owner: AnyObject, _ flags: ReachabilityFlags) -> Void

    enum Schedule {
        case idle
        case onQueue
        case onRunLoops(RunLoopSchedule)
    }

    struct State {
        var schedule = Schedule.idle
        /// The owner, while scheduled.
        var keptAlive: Owner?
    }

    private let epoch = ForkEpoch()
    package let reference: ReachabilityRef
    let owner = WeakOwner()
    let state = Lock(State())
    private let released = EndOfRelease()

    package init(_ reference: ReachabilityRef) {
        self.reference = reference
    }

    deinit {
        EndOfRelease.begin()
        // The client's context is released here, and not on another thread that may still hold the reference.
        if epoch.isCurrent { reference.setCallback(nil) }
    }

    /// Sets the owner, once.
    package func belong(to owner: AnyObject) {
        self.owner.current = Owner(object: owner)
    }

    /// GetFlags. Returns nil and stores a status only if the kernel could not be asked.
    package func flags() -> ReachabilityFlags? {
        LegacyStatus.record(otherwise: .reachabilityUnknown) { () throws(ReachabilityError) in
            try reference.getFlags()
        }
    }

    /// GetInterfaceIndex: the interface of the route to a reachable target; otherwise -1.
    package var interfaceIndex: Int32 {
        guard let verdict = try? reference.currentVerdict(), verdict.flags.isReachable,
            let interface = verdict.interface
        else { return -1 }
        return Int32(bitPattern: interface.rawValue)
    }

    /// SetCallback. A replaced closure is released as soon as no callout runs it.
    package func setCallback(_ callout: @escaping Callout) {
        guard mayWatch else { return }
        reference.setCallback { [weak self] flags in
            guard let owner = self?.owner.current else { return }
            callout(owner.object, flags)
        }
    }

    /// SetDispatchQueue. Nil unschedules.
    package func setQueue(_ place: CallbackPlace?) -> Bool {
        guard mayWatch else { return false }
        return place.map(scheduleOnQueue) ?? unscheduleFromQueue()
    }

    /// Returns false and stores a status in the child of a fork, for a target of the parent. No lock may be taken there: a
    /// thread that exists only in the parent may hold it.
    var mayWatch: Bool { epoch.isCurrent || LegacyStatus.fail(.failed) }

    private func scheduleOnQueue(_ place: CallbackPlace) -> Bool {
        let owner = owner.current
        return state.withLock { state in
            guard case .idle = state.schedule else { return LegacyStatus.fail(.invalidArgument) }
            guard start(on: place) else { return false }
            state.schedule = .onQueue
            state.keptAlive = owner
            return true
        }
    }

    private func unscheduleFromQueue() -> Bool {
        let outcome = state.withLock { state -> (Bool, Owner?) in
            guard case .onQueue = state.schedule else { return (LegacyStatus.fail(.invalidArgument), nil) }
            return (true, stop(&state))
        }
        // The owner is released here, as its deinitializer must not run under the lock.
        return withExtendedLifetime(outcome.1) { outcome.0 }
    }

    /// Begins delivery. The core calls no code of the client's in here.
    func start(on place: CallbackPlace) -> Bool {
        LegacyStatus.record(otherwise: .failed) { () throws(ReachabilityError) in
            try reference.schedule(on: place)
        } != nil
    }

    /// Ends delivery. The caller releases the returned owner after it has left the lock.
    func stop(_ state: inout State) -> Owner? {
        try? reference.unschedule()
        defer { state = State() }
        return state.keptAlive
    }

    package var isScheduled: Bool { reference.isScheduled }
}
