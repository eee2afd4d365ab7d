// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

/// Looks at the same changes again, three times.
///
/// The kernel announces some changes before it makes them: a deleted IPv4 route (fib_table_delete in
/// net/ipv4/fib_trie.c), and a link that goes down or loses its last address, whose routes it then removes without a
/// further announcement. Our own thread, woken by the announcement, may take the processor from the thread that makes
/// the change. A lookup then sees the old state, and no other announcement follows. The other thread goes on when ours
/// sleeps.
///
/// Confined to the engine's thread.
final class DelayedRecheck {
    /// The first delay is for a change that the engine's thread has interrupted. The second is for one that has to wait for a
    /// processor. The third is for a kernel that has to walk a million routes to remove some, on a busy machine.
    static let delays: [Duration] = [.microseconds(250), .milliseconds(20), .seconds(1)]

    private let loop: EventLoop
    private let look: (PendingChanges) -> Void
    private var pending = delays.map { _ in PendingChanges() }

    /// - Parameter look: looks up what the changes may have affected.
    init(_ loop: EventLoop, look: @escaping (PendingChanges) -> Void) {
        self.loop = loop
        self.look = look
    }

    /// Schedules the rechecks of changes that were looked at just now.
    ///
    /// - Parameter duration: how long looking took. The first recheck leaves the processor to the callbacks for as long.
    func schedule(_ changes: PendingChanges, after duration: Duration = .zero) {
        schedule(changes, stage: 0, delay: max(Self.delays[0], duration))
    }

    private func schedule(_ changes: PendingChanges, stage: Int, delay: Duration) {
        guard !changes.isEmpty else { return }
        let isArmed = !pending[stage].isEmpty
        pending[stage].addRoutes(of: changes)
        // Changes that join a running timer get a short delay. The next stage is late enough for them.
        guard !isArmed else { return }
        loop.schedule(at: loop.now().advanced(by: delay)) { [weak self] in
            guard let self else { return }
            let changes = pending[stage].removeAll()
            let next = stage + 1
            if next < Self.delays.count { schedule(changes, stage: next, delay: Self.delays[next]) }
            look(changes)
        }
    }
}
