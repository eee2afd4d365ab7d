// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// A condition that counts only while its host is reached by a network that may be used.
final class GatedCondition: WaitCondition {
    private let inner: any WaitCondition
    private let gate: RequestGate
    /// Whether the condition sends something, and so must not begin before.
    private let isSending: Bool
    private var obstacles: [RequestGate.Obstacle] = [.unknown]
    private var isBegun = false
    private var subscription: CancellationToken?
    private var post: @Sendable (WaitEvent) -> Void = { _ in }

    init(_ inner: any WaitCondition, _ gate: RequestGate, isSending: Bool) {
        (self.inner, self.gate, self.isSending) = (inner, gate, isSending)
    }

    func begin(_ post: @escaping @Sendable (WaitEvent) -> Void) throws(ReachabilityError) {
        self.post = post
        subscription = try gate.observe { view in
            if let view { post(.gate(view.obstacles)) }
        }
        try adjust()
    }

    func handle(_ event: WaitEvent) throws(ReachabilityError) {
        if case .gate(let obstacles) = event {
            self.obstacles = obstacles
            try adjust()
        } else if isBegun {
            try inner.handle(event)
        }
    }

    private func adjust() throws(ReachabilityError) {
        let mayBegin = !isSending || obstacles.isEmpty
        guard mayBegin != isBegun else { return }
        isBegun = mayBegin
        if mayBegin { try inner.begin(post) } else { inner.end() }
    }

    var holds: Bool { obstacles.isEmpty && inner.holds }
    var deadline: BootTime? { isBegun ? inner.deadline : nil }

    func timePassed(_ now: BootTime) throws(ReachabilityError) {
        if isBegun { try inner.timePassed(now) }
    }

    func confirm() throws(ReachabilityError) -> Bool {
        if !gate.reference.isName { obstacles = try gate.current() }
        guard obstacles.isEmpty else { return false }
        return try inner.confirm()
    }

    func end() {
        subscription?.cancel()
        if isBegun { inner.end() }
        (isBegun, obstacles) = (false, [.unknown])
    }

    var title: String { inner.title }

    /// That the host cannot be reached has a reason, which the condition knows.
    private var isInnerObstacle: Bool {
        obstacles.isEmpty || obstacles == [.unreachable] || obstacles == [.unknown] && !inner.holds
    }

    private var words: String { obstacles.map(\.description).joined(separator: ", ") }
    var obstacle: String { isInnerObstacle ? inner.obstacle : words }
    var complaint: String {
        isInnerObstacle
            ? inner.complaint : "'\(title)' was not reachable as required when the time was up (\(words))"
    }
}
