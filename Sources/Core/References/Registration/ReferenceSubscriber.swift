// SPDX-License-Identifier: Apache-2.0

package import ReachabilityHostResolution
import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// A subscriber to a reference. That to a name is also told what the name was resolved to.
package protocol ReferenceSubscriber: WatchSubscriber {
    /// - Parameter resolution: nil if the reference is not to a name.
    func notify(_ observation: Observation, _ resolution: Resolution?, _ batch: inout DeliveryBatch)

    /// Learns that the kernel has refused to answer the last question.
    func noteRefusal(_ resolution: Resolution?, because causes: ChangeKinds)
}

extension ReferenceSubscriber {
    package func notify(_ observation: Observation, _ batch: inout DeliveryBatch) { notify(observation, nil, &batch) }
    package func noteRefusal(because causes: ChangeKinds) { noteRefusal(nil, because: causes) }
    package func noteRefusal(_ resolution: Resolution?, because causes: ChangeKinds) {}
}

extension EngineCore {
    package func add(_ subscriber: any ReferenceSubscriber, to subject: Subject, _ keys: RoutingKeys) {
        switch subject {
        case .target(let target): add(subscriber, to: target, keys)
        case .name(let host): NameWatcher.on(self).add(subscriber, to: host, keys)
        }
    }

    package func remove(_ subscriber: any ReferenceSubscriber, from subject: Subject, _ keys: RoutingKeys) {
        switch subject {
        case .target(let target): remove(subscriber, from: target, keys)
        case .name(let host): NameWatcher.on(self).remove(subscriber, from: host, keys)
        }
    }
}

extension Engine {
    /// Notifies `subscriber` of the present answer and of each change, until `remove`.
    func add(_ subscriber: any ReferenceSubscriber, to subject: Subject, _ keys: RoutingKeys) {
        if case .target(let target) = subject { return add(subscriber, to: target, keys) }
        if !loop.enqueue({ [core] in core.add(subscriber, to: subject, keys) }), let failure {
            subscriber.end(because: failure)
        }
    }

    func remove(_ subscriber: any ReferenceSubscriber, from subject: Subject, _ keys: RoutingKeys) {
        if case .target(let target) = subject { return remove(subscriber, from: target, keys) }
        loop.enqueue { [core] in core.remove(subscriber, from: subject, keys) }
    }
}

extension SharedEngine {
    /// Removes a subscriber, and releases the engine that was acquired for it.
    func remove(_ subscriber: any ReferenceSubscriber, from subject: Subject, _ keys: RoutingKeys) {
        present?.remove(subscriber, from: subject, keys)
        release()
    }
}
