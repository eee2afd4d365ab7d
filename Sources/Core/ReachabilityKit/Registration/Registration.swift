// SPDX-License-Identifier: Apache-2.0

package import Dispatch
import HostResolution
package import LinuxSystem

/// One period in which a reference is scheduled. Keeps the reference alive until its end, as on Apple's systems.
final class Registration: WatchSubscriber {
    let sink: CallbackPlace
    /// The keys under which the target is watched.
    let keys: RoutingKeys
    private let state: Lock<State>

    private struct State {
        /// Nil after the end. The engine may hold the registration a little longer, and must not be what releases the
        /// reference last: the callback is released with it, and the deinitializers of what that holds are client code.
        var reference: ReachabilityRef?
        var delivery: ClientDelivery<Observation>
        var resolution: Resolution?
    }

    /// - Parameters:
    ///   - known: the answer that the client is taken to know already.
    ///   - resolution: what the name resolves to, if that is known without a lookup.
    init(_ reference: ReachabilityRef, sink: CallbackPlace, known: Observation?, resolution: Resolution?) {
        self.sink = sink
        keys = reference.keysOfWatch
        state = Lock(
            State(reference: reference, delivery: ClientDelivery(known: known), resolution: resolution))
    }

    /// What the name was last resolved to; nil before the first time.
    var resolution: Resolution? { state.withLock(\.resolution) }

    func notify(_ observation: Observation, _ resolution: Resolution?, _ batch: inout DeliveryBatch) {
        let isDue = state.withLock { state in
            if let resolution { state.resolution = resolution }
            state.delivery.note(observation)
            return state.delivery.claim()
        }
        if isDue { batch.add(self) }
    }

    /// Calls the client's callback, if that is still due. Runs where the client wants its callbacks.
    func callBack() {
        beginWork()
        defer { endWork() }
        guard let reference = state.withLock(\.reference), let call = reference.beginCall(of: self) else { return }
        notAtWork { call.callback?(call.flags) }
        state.withLock { $0.delivery.finish() }
        // The reference may have been scheduled anew during the call.
        reference.endCall()?.callBackSoonIfDue()
    }

    /// The value to call the client with. Nil also while the client is being called, perhaps by an earlier registration.
    func begin(duringCall isCalling: Bool) -> Observation? {
        state.withLock { state in
            guard isCalling else { return state.delivery.begin() }
            state.delivery.putOff()
            return nil
        }
    }

    private func callBackSoonIfDue() {
        if state.withLock({ $0.delivery.claim() }) { sink.run { self.callBack() } }
    }

    func end() {
        // The reference is released outside the lock.
        state.remove { state in
            state.delivery.end()
            return state.reference.take()
        }
    }
}

/// What a client can see of a verdict. Subscribers are notified when this changes. The interface counts, as it does on
/// Apple's systems (configd-1405, SCNetworkReachability.c l.1713).
package struct Observation: Hashable, Sendable {
    package var flags: ReachabilityFlags
    package var interface: InterfaceIndex?

    package init(flags: ReachabilityFlags, interface: InterfaceIndex? = nil) {
        self.flags = flags
        self.interface = interface
    }

    package init(_ verdict: Verdict) {
        // If a target cannot be reached, the client does not see over which broken link.
        self.init(flags: verdict.flags, interface: verdict.flags.isEmpty ? nil : verdict.interface)
    }
}

/// Where callbacks run. It is one word in size, as every registration holds one, and there may be very many.
package enum CallbackPlace: Sendable {
    /// Runs callbacks in another way, such as on a run loop or a plain thread. Declared first so that it is stored as a
    /// plain pointer: valgrind and other leak checkers then find the object.
    indirect case target(any CallbackRunner)
    case queue(DispatchQueue)

    /// Runs `work` there later.
    package func run(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .queue(let queue): queue.async(execute: work)
        case .target(let target): target.deliver(work)
        }
    }
}

/// Runs callbacks somewhere other than on a dispatch queue.
package protocol CallbackRunner: AnyObject, Sendable {
    /// Runs `work` later, in order, and never inside this call. Called on the engine's thread.
    func deliver(_ work: @escaping @Sendable () -> Void)
}

/// Collects the callbacks that one look leads to, and puts them on their queues together.
///
/// A dispatch item for each of ten thousand callbacks would take a third of the engine's time. So registrations with the
/// same queue share items, unless there are few of them: up to `sideBySide` get one item each, so that on a concurrent
/// queue no callback waits for another. With more they wait in any case, because libdispatch has only so many threads.
///
/// Each look makes its own batch: an engine that is stopping and its successor may look at the same moment.
struct DeliveryBatch {
    private struct QueueBatch {
        let queue: DispatchQueue
        var registrations: [Registration] = []
    }

    private var queues: [ObjectIdentifier: QueueBatch] = [:]
    private var others: [(registration: Registration, target: any CallbackRunner)] = []
    private(set) var count = 0

    /// libdispatch has at most DISPATCH_WORKQ_MAX_PTHREAD_COUNT threads, and fewer on a machine with few processors.
    private static let sideBySide = 64

    /// Adds a registration whose callback is due.
    mutating func add(_ registration: Registration) {
        count += 1
        switch registration.sink {
        case .queue(let queue):
            queues[ObjectIdentifier(queue), default: QueueBatch(queue: queue)].registrations.append(registration)
        case .target(let target): others.append((registration, target))
        }
    }

    /// Puts all callbacks where they run.
    consuming func deliver() {
        for batch in queues.values { Self.enqueue(batch) }
        for (registration, target) in others { target.deliver { registration.callBack() } }
    }

    private static func enqueue(_ batch: QueueBatch) {
        guard batch.registrations.count > sideBySide else {
            for registration in batch.registrations { batch.queue.async { registration.callBack() } }
            return
        }
        for start in stride(from: 0, to: batch.registrations.count, by: sideBySide) {
            let some = batch.registrations[start..<min(start + sideBySide, batch.registrations.count)]
            batch.queue.async {
                for registration in some { registration.callBack() }
            }
        }
    }
}
