// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit
import Synchronization

/// The inside of a monitor: takes paths from the engine, and calls the client's blocks on its queue, one at a time.
final class Monitor: PathSubscriber {
    private enum Phase {
        case idle, started, cancelled
    }

    private enum Call {
        case update(ClientBlock, PathContent)
        case cancellation(ClientBlock)
    }

    private struct State {
        var phase = Phase.idle
        var restriction: PathRestriction
        var queue: LoadedQueue?
        var update: ClientBlock?
        var cancellation: ClientBlock?
        var current: PathContent?
        /// The path that the client was told last.
        var reported: PathContent?
        /// Whether `deliver` is on the queue. Never twice, as the queue may be a concurrent one.
        var isDelivering = false
        var subscription: CancellationToken?

        /// The call that is due. It counts as made.
        mutating func takeCall() -> Call? {
            switch phase {
            case .idle: return nil
            case .started:
                guard let update, let current, current != reported else { return nil }
                reported = current
                return .update(update, current)
            case .cancelled: return cancellation.take().map(Call.cancellation)
            }
        }

        /// The queue to put `deliver` on, if a call is due and it is not there already.
        mutating func queueForDelivery() -> LoadedQueue? {
            let isDue =
                switch phase {
                case .idle: false
                case .started: update != nil && current != nil && current != reported
                case .cancelled: cancellation != nil
                }
            guard isDue, !isDelivering, let queue else { return nil }
            isDelivering = true
            return queue
        }
    }

    private let source = PathSource()
    private let state: Mutex<State>

    init(_ restriction: PathRestriction) {
        state = Mutex(State(restriction: restriction))
    }

    // MARK: Settings

    func prohibit(_ kind: InterfaceKind) {
        state.withLock { state in
            if state.phase == .idle { state.restriction.prohibited.insert(kind) }
        }
    }

    func setQueue(_ queue: LoadedQueue?) {
        change { state in
            guard state.phase == .idle else { return nil }
            defer { state.queue = queue }
            return state.queue
        }
    }

    func setUpdate(_ block: ClientBlock?) {
        change { state in
            guard state.phase != .cancelled else { return nil }
            defer { state.update = block }
            return state.update
        }
    }

    func setCancellation(_ block: ClientBlock?) {
        change { state in
            guard state.phase != .cancelled else { return nil }
            defer { state.cancellation = block }
            return state.cancellation
        }
    }

    /// - Parameter body: returns what was there before. It is released outside the lock, as that may call the client.
    private func change(_ body: (inout State) -> AnyObject?) {
        let (queue, old) = state.withLock { state in
            let old = body(&state)
            return (state.queueForDelivery(), old)
        }
        withExtendedLifetime(old) { deliver(on: queue) }
    }

    // MARK: Life

    func start() {
        let isFirst = state.withLock { state in
            guard state.phase == .idle, state.queue != nil else { return false }
            state.phase = .started
            return true
        }
        guard isFirst else { return }
        source.follow(self) { subscription in
            state.withLock { state in
                guard state.phase == .started else { return false }
                state.subscription = subscription
                return true
            }
        }
    }

    /// - Parameter isSilent: whether the cancel handler is dropped, too.
    func cancel(isSilent: Bool = false) {
        let (queue, subscription, dropped) = state.withLock { state in
            guard state.phase != .cancelled else {
                return (LoadedQueue?.none, CancellationToken?.none, [ClientBlock?]())
            }
            state.phase = .cancelled
            var dropped = [state.update.take()]
            // Without a queue, it cannot be called.
            if isSilent || state.queue == nil { dropped.append(state.cancellation.take()) }
            return (state.queueForDelivery(), state.subscription.take(), dropped)
        }
        withExtendedLifetime(dropped) { subscription?.cancel() }
        deliver(on: queue)
    }

    // MARK: Delivery

    /// Called on the engine's thread.
    func observe(_ path: NetworkPath) {
        let queue = state.withLock { state in
            guard state.phase == .started else { return LoadedQueue?.none }
            state.current = PathContent(path.view(state.restriction))
            return state.queueForDelivery()
        }
        deliver(on: queue)
    }

    private func deliver(on queue: LoadedQueue?) {
        queue?.deliver { self.deliver() }
    }

    /// Called on the client's queue.
    private func deliver() {
        while true {
            let call = state.withLock { state in
                let call = state.takeCall()
                state.isDelivering = call != nil
                return call
            }
            switch call {
            case .update(let block, let content): unsafe lend(PathHandle(content)) { unsafe block.call($0) }
            case .cancellation(let block): block.call()
            case nil: return
            }
        }
    }
}
