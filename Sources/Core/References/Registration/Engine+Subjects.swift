// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilityNetlink

extension EngineCore {
    package func add(_ subscriber: any Subscriber, to subject: Subject, _ keys: RoutingKeys) {
        switch subject {
        case .target(let target): add(subscriber, to: target, keys)
        case .name(let host): NameWatcher.on(self).add(subscriber, to: host, keys)
        }
    }

    package func remove(_ subscriber: any Subscriber, from subject: Subject, _ keys: RoutingKeys) {
        switch subject {
        case .target(let target): remove(subscriber, from: target, keys)
        case .name(let host): NameWatcher.on(self).remove(subscriber, from: host, keys)
        }
    }
}

extension Engine {
    /// Notifies `subscriber` of the present answer and of each change, until it is removed.
    package func add(_ subscriber: any Subscriber, to subject: Subject, _ keys: RoutingKeys) {
        if case .target(let target) = subject { return add(subscriber, to: target, keys) }
        if !loop.enqueue({ [core] in core.add(subscriber, to: subject, keys) }), let failure {
            subscriber.end(because: failure)
        }
    }

    package func remove(_ subscriber: any Subscriber, from subject: Subject, _ keys: RoutingKeys) {
        if case .target(let target) = subject { return remove(subscriber, from: target, keys) }
        loop.enqueue { [core] in core.remove(subscriber, from: subject, keys) }
    }
}

extension SharedEngine {
    /// Removes a subscriber, and releases the engine that was acquired for it.
    package func remove(_ subscriber: any Subscriber, from subject: Subject, _ keys: RoutingKeys) {
        present?.remove(subscriber, from: subject, keys)
        release()
    }
}
