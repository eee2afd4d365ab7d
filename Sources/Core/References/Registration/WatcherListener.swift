// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// One handler of a ``ReachabilityWatcher``, and what it listens to. Confined to the thread that the watcher belongs to.
protocol WatcherListener: AnyObject {
    var namespace: NamespaceContext { get }

    func begin(on engine: Engine)
    /// - Parameter engine: nil if it ends too.
    func end(on engine: Engine?)
    /// Calls the handler with the newest value, if that is still due.
    func callBack()
}

/// The listeners whose handlers are due at the end of the present turn, in the order in which they became so.
final class DueCallbacks {
    private var waiting: [any WatcherListener] = []
    /// Why one of them can hear nothing any more.
    private(set) var failure: ReachabilityError?

    func add(_ listener: any WatcherListener) { waiting.append(listener) }

    func takeAll() -> [any WatcherListener] {
        defer { waiting = [] }
        return waiting
    }

    func fail(_ error: ReachabilityError) { failure = failure ?? error }
}

/// Listens to values of a kind, such as flags or paths. That they are equatable is not said here: the runtime would search for it when
/// it makes the class.
package final class ValueListener<Value: Sendable>: WatcherListener, @unchecked Sendable {
    package typealias Note = @Sendable (Value) -> Void
    /// Begins to note values, or why there will be none, on the thread of the engine, which is that of the watcher. Returns what ends it.
    package typealias Start = (Engine, @escaping Note, @escaping @Sendable (ReachabilityError) -> Void) -> (Engine?) ->
        Void

    let namespace: NamespaceContext
    private let due: DueCallbacks
    private let start: Start
    private var stop: ((Engine?) -> Void)?
    private var handler: ((Value) -> Void)?
    private var delivery = ClientDelivery<Value>()
    private let claim: (inout ClientDelivery<Value>) -> Bool
    private let next: (inout ClientDelivery<Value>) -> Value?

    init(
        _ namespace: NamespaceContext, _ due: DueCallbacks, _ handler: @escaping (Value) -> Void,
        start: @escaping Start
    ) where Value: Equatable {
        (claim, next) = ({ $0.claim() }, { $0.begin() })
        (self.namespace, self.due, self.handler, self.start) = (namespace, due, handler, start)
    }

    func begin(on engine: Engine) {
        let note: Note = { [weak self] value in
            guard let self else { return }
            delivery.note(value)
            if claim(&delivery) { due.add(self) }
        }
        stop = start(engine, note) { [weak self] in self?.due.fail($0) }
    }

    func end(on engine: Engine?) {
        stop?(engine)
        (stop, handler) = (nil, nil)
        delivery.end()
    }

    func callBack() {
        guard let value = withoutCancellation({ next(&delivery) }) else { return }
        notAtWork { handler?(value) }
        // No value comes while a handler runs: both are on the watcher's thread.
        withoutCancellation { delivery.finish() }
    }
}
