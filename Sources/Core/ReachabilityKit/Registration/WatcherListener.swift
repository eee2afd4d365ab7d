// SPDX-License-Identifier: Apache-2.0

/// One handler of a ``ReachabilityWatcher``, and what it listens to. Confined to the thread that the watcher belongs to.
protocol WatcherListener: AnyObject {
    var namespace: NamespaceContext { get }

    func begin(on engine: Engine)
    /// - Parameter engine: nil if it ends too.
    func end(on engine: Engine?)
    /// Calls the handler with the newest state, if that is still due.
    func callBack()
}

/// The listeners whose handlers are due at the end of the present turn, in the order in which they became so.
final class DueCallbacks {
    private var waiting: [any WatcherListener] = []

    func add(_ listener: any WatcherListener) { waiting.append(listener) }

    func takeAll() -> [any WatcherListener] {
        defer { waiting = [] }
        return waiting
    }
}

/// Listens to values of a kind, such as paths. The handler is told the newest.
final class ValueListener<Value: Equatable & Sendable>: WatcherListener, @unchecked Sendable {
    typealias Note = @Sendable (Value) -> Void

    let namespace: NamespaceContext
    private let due: DueCallbacks
    /// Begins to note values, on the thread of the engine, which is that of the watcher. Returns what ends it.
    private let start: (Engine, @escaping Note) -> (Engine?) -> Void
    private var stop: ((Engine?) -> Void)?
    private var handler: ((Value) -> Void)?
    private var newest: Value?
    private var told: Value?

    init(
        _ namespace: NamespaceContext, _ due: DueCallbacks, _ handler: @escaping (Value) -> Void,
        start: @escaping (Engine, @escaping Note) -> (Engine?) -> Void
    ) {
        (self.namespace, self.due, self.handler, self.start) = (namespace, due, handler, start)
    }

    func begin(on engine: Engine) {
        stop = start(engine) { [weak self] value in
            // After the end, nobody would take it out.
            guard let self, handler != nil else { return }
            newest = value
            due.add(self)
        }
    }

    func end(on engine: Engine?) {
        stop?(engine)
        (stop, handler) = (nil, nil)
    }

    func callBack() {
        guard let handler, let newest, newest != told else { return }
        told = newest
        handler(newest)
    }
}
