// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink

/// Has what was looked at looked at again a little later.
///
/// The kernel announces some changes before it makes them: a deleted IPv4 route (fib_table_delete in
/// net/ipv4/fib_trie.c), and a link going down or a last address, upon which it removes routes without a further word.
/// Whoever makes such a change may be put off the processor in between, by nobody else than our own thread, which the
/// announcement wakes. What is seen then is the state before the change, and nothing more is ever announced.
///
/// Confined to the engine's thread.
final class DelayedRecheck {
    /// Soon, for the change that was interrupted; and late, for a kernel that walks a million routes to remove some,
    /// on a machine that has no time for it.
    static let delays: [Duration] = [.milliseconds(20), .seconds(1)]

    private let loop: EventLoop
    private let look: (PendingChanges) -> Void
    private var pending = delays.map { _ in PendingChanges() }

    /// - Parameter look: looks at dirt.
    init(_ loop: EventLoop, look: @escaping (PendingChanges) -> Void) {
        self.loop = loop
        self.look = look
    }

    /// This was looked at just now.
    func looked(at changes: PendingChanges) {
        wait(for: 0, with: changes)
    }

    private func wait(for stage: Int, with changes: PendingChanges) {
        guard stage < Self.delays.count, !changes.isEmpty else { return }
        let isArmed = !pending[stage].isEmpty
        pending[stage].addRoutes(of: changes)
        // What comes while it waits is confirmed early, and by the later stage late enough.
        guard !isArmed else { return }
        loop.schedule(at: loop.now().advanced(by: Self.delays[stage])) { [weak self] in
            guard let self else { return }
            let changes = pending[stage].take()
            wait(for: stage + 1, with: changes)
            look(changes)
        }
    }
}
