// SPDX-License-Identifier: Apache-2.0

import NetworkFacts
package import ReachabilityKit
import Synchronization

/// What stands behind an `SCNetworkReachability`, in Swift and in C: a reference of the core, and the order in which
/// Apple's functions may be called.
///
/// Lives as long as its owner, the object that clients hold. While scheduled it holds its owner in turn, as dropping
/// the last reference to a scheduled target neither frees it nor stops callbacks (configd-1405).
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

    package let reference: ReachabilityRef
    private let owner = Mutex(WeakOwner())
    let state = Mutex(State())

    package init(_ reference: ReachabilityRef) {
        self.reference = reference
    }

    deinit {
        // Here and now, and not on whatever thread may still hold the reference: it releases the client's context.
        reference.setCallback(nil)
    }

    /// Tells whose this is. The owner passes itself, once.
    package func belong(to owner: AnyObject) {
        let owner = Owner(object: owner)
        self.owner.withLock { $0.object = owner.object }
    }

    /// GetFlags: nil, with a status kept, only where the kernel could not be asked.
    package func flags() -> ReachabilityFlags? {
        LegacyStatus.record(otherwise: .reachabilityUnknown) { () throws(ReachabilityError) in
            try reference.getFlags()
        }
    }

    /// GetInterfaceIndex: of the link the way leads over, while the target is reachable; otherwise -1.
    package var interfaceIndex: Int32 {
        guard let verdict = try? reference.currentVerdict(), verdict.flags.isReachable,
            let interface = verdict.interface
        else { return -1 }
        return Int32(bitPattern: interface.rawValue)
    }

    /// SetCallback: what the closure holds is let go of on replacement, as soon as no callout uses it.
    package func setCallback(_ callout: @escaping Callout) {
        guard mayWatch else { return }
        reference.setCallback { [weak self] flags in
            guard let owner = self?.currentOwner else { return }
            callout(owner.object, flags)
        }
    }

    /// SetDispatchQueue. nil unschedules.
    package func setQueue(_ sink: DeliverySink?) -> Bool {
        guard mayWatch else { return false }
        return sink.map(scheduleOnQueue) ?? unscheduleFromQueue()
    }

    /// False, with a status kept, in the child of a fork: there a thread of the parent may hold any lock for ever, so none
    /// is taken.
    var mayWatch: Bool {
        LegacyStatus.record(otherwise: .failed) { () throws(ReachabilityError) in
            try ReachabilityRef.requireWatching()
        } != nil
    }

    private func scheduleOnQueue(_ sink: DeliverySink) -> Bool {
        let owner = currentOwner
        return state.withLock { state in
            guard case .idle = state.schedule else { return Self.refuse() }
            guard start(on: sink) else { return false }
            state.schedule = .onQueue
            state.keptAlive = owner
            return true
        }
    }

    private func unscheduleFromQueue() -> Bool {
        let outcome = state.withLock { state -> (Bool, Owner?) in
            guard case .onQueue = state.schedule else { return (Self.refuse(), nil) }
            return (true, stop(&state))
        }
        // The owner may go only now: its deinitializer must not run under the lock.
        return withExtendedLifetime(outcome.1) { outcome.0 }
    }

    /// Begins to deliver. The core asks the kernel, and runs none of the client's code.
    func start(on sink: DeliverySink) -> Bool {
        LegacyStatus.record(otherwise: .failed) { () throws(ReachabilityError) in
            try reference.schedule(on: sink)
        } != nil
    }

    /// Ends delivering; the caller lets go of the owner that is returned after it has left the lock.
    func stop(_ state: inout State) -> Owner? {
        try? reference.unschedule()
        defer { state = State() }
        return state.keptAlive
    }

    var currentOwner: Owner? {
        owner.withLock { $0.object.map(Owner.init) }
    }

    static func refuse() -> Bool {
        LegacyStatus.last = .invalidArgument
        return false
    }

    package var isScheduled: Bool { reference.isScheduled }
}

/// The object clients hold. Which thread may use it is the client's business, as with every object of CoreFoundation.
struct Owner: @unchecked Sendable {
    let object: AnyObject
}

private struct WeakOwner {
    weak var object: AnyObject?
}
