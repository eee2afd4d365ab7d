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
final class Confirmation {
    /// Soon, for the change that was interrupted; and late, for a kernel that walks a million routes to remove some,
    /// on a machine that has no time for it.
    static let delays: [Duration] = [.milliseconds(20), .seconds(1)]

    private let loop: EventLoop
    private let look: (Dirt) -> Void
    private var pending = delays.map { _ in Dirt() }

    /// - Parameter look: looks at dirt.
    init(_ loop: EventLoop, look: @escaping (Dirt) -> Void) {
        self.loop = loop
        self.look = look
    }

    /// This was looked at just now.
    func looked(at dirt: Dirt) {
        wait(for: 0, with: dirt)
    }

    private func wait(for stage: Int, with dirt: Dirt) {
        guard stage < Self.delays.count, !dirt.isEmpty else { return }
        let isArmed = !pending[stage].isEmpty
        pending[stage].addRoutes(of: dirt)
        // What comes while it waits is confirmed early, and by the later stage late enough.
        guard !isArmed else { return }
        loop.schedule(at: loop.now().advanced(by: Self.delays[stage])) { [weak self] in
            guard let self else { return }
            let dirt = pending[stage].take()
            wait(for: stage + 1, with: dirt)
            look(dirt)
        }
    }
}
