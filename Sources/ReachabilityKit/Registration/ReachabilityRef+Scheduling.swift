// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import HostResolution
import Synchronization

extension ReachabilityRef {
    /// What the client has asked for. Small, as there may be very many references.
    struct Client: Sendable {
        var callback: (@Sendable (ReachabilityFlags) -> Void)?
        var registration: Registration?
    }

    /// Sets what is called when the answer changes; nil for nothing.
    ///
    /// May be called at any time and from anywhere, also from the callback itself. The callback runs on the queue given
    /// to ``setDispatchQueue(_:)`` and is told the newest flags. A reference to an address calls back on change only;
    /// one to a name also once after it was first resolved.
    public func setCallback(_ callback: (@Sendable (ReachabilityFlags) -> Void)?) {
        // In the child of a fork nothing is called back, and a thread of the parent may hold the lock for ever.
        guard namespace.isThisProcess else { return }
        // What the old callback holds is let go of outside the lock: its deinitializer may call anything.
        _ = client.withLock { client in
            let old = client.callback
            client.callback = callback
            return old
        }
    }

    /// Schedules the callback on a queue, or with nil unschedules it.
    ///
    /// A scheduled reference stays alive until it is unscheduled. When unscheduling has returned on the queue that
    /// callbacks run on, no further one begins.
    ///
    /// - Throws: ``ReachabilityError`` with the code ``ReachabilityError/Code/scheduling`` where it is scheduled
    ///   already, or nil is given and it is not; or where the kernel's changes cannot be heard.
    public func setDispatchQueue(_ queue: DispatchQueue?) throws(ReachabilityError) {
        if let queue {
            try schedule(on: .queue(queue))
        } else {
            try unschedule()
        }
    }

    /// False in the child of a fork: it was the parent that scheduled it.
    package var isScheduled: Bool { namespace.isThisProcess && hasRegistration.load(ordering: .acquiring) }

    /// Throws where nothing can be watched, which is in the child of a fork. Takes no lock.
    package static func requireWatching() throws(ReachabilityError) { try SharedEngine.requireNoFork() }

    /// Schedules the callback on any kind of sink.
    package func schedule(on sink: DeliverySink) throws(ReachabilityError) {
        guard !isScheduled else { throw Self.alreadyScheduled }
        let engine = try namespace.sharedEngine.acquire(for: namespace)
        let registration: Registration
        do {
            registration = try newRegistration(sink)
        } catch {
            namespace.sharedEngine.release()
            throw error
        }
        let isFirst = client.withLock { client in
            guard client.registration == nil else { return false }
            client.registration = registration
            hasRegistration.store(true, ordering: .releasing)
            // Inside the lock, so that an unscheduling that follows comes to the engine after this.
            engine.add(registration, to: target, keys)
            return true
        }
        guard isFirst else {
            namespace.sharedEngine.release()
            throw Self.alreadyScheduled
        }
    }

    /// An address's client knows how things stand from the moment of scheduling; a name's is owed a first callback.
    private func newRegistration(_ sink: DeliverySink) throws(ReachabilityError) -> Registration {
        guard case .name(let host) = target else {
            return Registration(self, sink: sink, known: Observation(try currentVerdict()), resolution: nil)
        }
        let known = host.resolver.known(host.name)
        return Registration(self, sink: sink, known: nil, resolution: known?.isComplete == true ? known : nil)
    }

    /// Ends the period.
    package func unschedule() throws(ReachabilityError) {
        guard isScheduled else { throw notScheduled }
        let registration = client.withLock { client -> Registration? in
            defer { client.registration = nil }
            hasRegistration.store(false, ordering: .releasing)
            return client.registration
        }
        guard let registration else { throw notScheduled }
        registration.end()
        namespace.sharedEngine.remove(registration, from: target, keys)
    }

    var callback: (@Sendable (ReachabilityFlags) -> Void)? { client.withLock { $0.callback } }

    private var notScheduled: ReachabilityError {
        ReachabilityError(.scheduling, "unschedule", target.description, "it is not scheduled")
    }

    private static var alreadyScheduled: ReachabilityError {
        ReachabilityError(.scheduling, "schedule", "", "it is scheduled already; unschedule it first")
    }

    /// What the engine that serves this reference's namespace has done so far.
    public var statistics: ReachabilityStatistics { namespace.statistics }
}
