// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import ReachabilityHostResolution
package import ReachabilityLinuxSystem
package import ReachabilityNetlink
import ReachabilityResolverFiles
import Synchronization

extension ReachabilityRef {
    /// The client's settings. Kept small, because there may be very many references.
    struct Client: Sendable {
        var callback: (@Sendable (ReachabilityFlags) -> Void)?
        var registration: Registration?
        /// Whether the callback is running. The call of a registration that has ended holds back those of the next one.
        var isCalling = false
    }

    /// The routing keys under which the calling thread watches. The engine asks as the real user of the process, so any other
    /// user has to be named.
    package var keysOfWatch: RoutingKeys {
        let user = Credentials.fileSystemUser
        return keys.userID == nil && user != Credentials.realUser ? keys.asking(as: user) : keys
    }

    /// Sets the function that is called when the flags change; nil for none.
    ///
    /// May be called at any time and on any thread, also inside the callback. The callback runs on the queue given to
    /// ``setDispatchQueue(_:)``, one call at a time, with the newest flags. For an address it is called at each change; for a
    /// name it is also called once when the name was first resolved.
    public func setCallback(_ callback: (@Sendable (ReachabilityFlags) -> Void)?) {
        undisturbed {
            // The old callback is released outside the lock, because the deinitializers of what it holds may call anything.
            here.own.client.remove { client in
                let old = client.callback
                client.callback = callback
                return old
            }
        }
    }

    /// Schedules the callback on a queue; nil unschedules it.
    ///
    /// A scheduled reference stays alive until it is unscheduled. If it is unscheduled on the serial queue of its callbacks, no
    /// further callback begins after this has returned.
    ///
    /// - Throws: ``ReachabilityError`` with the code ``ReachabilityError/Code/scheduling`` if the reference is already scheduled,
    ///   or if nil is given and it is not scheduled; with other codes if the kernel's changes cannot be watched.
    public func setDispatchQueue(_ queue: DispatchQueue?) throws(ReachabilityError) {
        if let queue {
            try schedule(on: .queue(queue))
        } else {
            try unschedule()
        }
    }

    package var isScheduled: Bool { here.own.hasRegistration.load(ordering: .acquiring) }

    /// The registration that keeps a name resolved; nil if there is none, or if its engine has failed.
    var workingRegistration: Registration? {
        guard isScheduled, let registration = here.own.client.withLock(\.registration), !registration.hasFailed else {
            return nil
        }
        return registration
    }

    /// Schedules the callback on a place of any kind.
    package func schedule(on place: CallbackPlace) throws(ReachabilityError) {
        try undisturbed { () throws(ReachabilityError) in
            if case .queue = place { try Self.checkQueues() }
            guard !isScheduled else { throw Self.alreadyScheduled }
            let registration = try newRegistration(place)
            let engine = try acquireEngine()
            let here = here
            let isFirst = here.own.client.withLock { client in
                guard client.registration == nil else { return false }
                client.registration = registration
                here.own.hasRegistration.store(true, ordering: .releasing)
                // Inside the lock, so that the engine gets this request before the removal by a later `unschedule`.
                engine.add(registration, to: subject, registration.keys)
                return true
            }
            guard isFirst else {
                namespace.sharedEngine.release()
                throw Self.alreadyScheduled
            }
        }
    }

    /// The client of an address is assumed to know the present answer. The client of a name gets a first callback in any case.
    private func newRegistration(_ place: CallbackPlace) throws(ReachabilityError) -> Registration {
        guard case .name(let host) = subject else {
            return Registration(here, place: place, known: Observation(try currentVerdict()), resolution: nil)
        }
        let known = host.resolver.known(host.query)
        return Registration(here, place: place, known: nil, resolution: known?.isComplete == true ? known : nil)
    }

    package func unschedule() throws(ReachabilityError) {
        try undisturbed { () throws(ReachabilityError) in
            guard isScheduled else { throw notScheduled }
            let here = here
            let registration = here.own.client.withLock { client in
                here.own.hasRegistration.store(false, ordering: .releasing)
                return client.registration.take()
            }
            guard let registration else { throw notScheduled }
            registration.end()
            namespace.sharedEngine.remove(registration, from: subject, registration.keys)
        }
    }

    /// The call that is due; nil if none is. One call runs at a time, whatever the queue is and however often the reference is
    /// scheduled again.
    func beginCall(
        of registration: Registration
    ) -> (callback: (@Sendable (ReachabilityFlags) -> Void)?, flags: ReachabilityFlags)? {
        own.client.withLock { client in
            guard let observation = registration.begin(duringCall: client.isCalling) else { return nil }
            client.isCalling = true
            return (client.callback, observation.flags)
        }
    }

    /// Returns the present registration, for which a call may be due now.
    func endCall() -> Registration? {
        own.client.withLock { client in
            client.isCalling = false
            return client.registration
        }
    }

    private var notScheduled: ReachabilityError {
        ReachabilityError(.scheduling, "unschedule", subject.description, "it is not scheduled")
    }

    /// The running engine. The caller releases it once.
    package func acquireEngine() throws(ReachabilityError) -> Engine {
        try undisturbed { () throws(ReachabilityError) in
            try checkKeys()
            return try namespace.sharedEngine.acquire(for: namespace)
        }
    }

    /// Throws if the kernel cannot be asked here with the routing keys of this reference.
    package func checkKeys() throws(ReachabilityError) {
        let kernel = try namespace.kernel()
        do throws(NetlinkError) {
            try kernel.check(keysOfWatch)
        } catch {
            throw ReachabilityError(error, object: subject.description)
        }
    }

    /// Throws if nothing can be called on a dispatch queue here: libdispatch ends a program that uses a queue in the child of a
    /// fork (dispatch_atfork_child in src/queue.c).
    static func checkQueues() throws(ReachabilityError) {
        guard ForkEpoch.isChild else { return }
        throw ReachabilityError(
            .unsupported, "schedule on a dispatch queue", "",
            "libdispatch does not work in the child of a fork that has not called exec; use a ReachabilityWatcher")
    }

    private static var alreadyScheduled: ReachabilityError {
        ReachabilityError(.scheduling, "schedule", "", "it is scheduled already; unschedule it first")
    }

    /// What the engine of this reference's network namespace has done so far, in numbers.
    public var statistics: ReachabilityStatistics {
        undisturbed { namespace.statistics }
    }
}
