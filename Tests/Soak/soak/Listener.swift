// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import ReachabilityLinuxSystem

/// A reference that is watched in one of two ways, and the flags that its client was told last.
final class Listener: Sendable {
    enum Way: CaseIterable {
        case queue, sequence
    }

    let subject: Subject
    let reference: ReachabilityRef
    let way: Way
    private let queue: DispatchQueue
    private let heard: ConditionLock<Heard>
    private let task: ConditionLock<Task<Void, any Error>?> = ConditionLock(nil)

    private struct Heard {
        var last: ReachabilityFlags?
        var count = 0
    }

    /// - Parameter flags: the present flags, which are not called back.
    init(
        _ subject: Subject, _ reference: ReachabilityRef, _ way: Way, flags: ReachabilityFlags, queue: DispatchQueue
    )
        throws
    {
        (self.subject, self.reference, self.way, self.queue) = (subject, reference, way, queue)
        let isTold = subject.isName || way == .sequence
        heard = ConditionLock(Heard(last: isTold ? nil : flags))
        switch way {
        case .queue:
            reference.setCallback { [weak self] in self?.note($0) }
            try reference.setDispatchQueue(queue)
        case .sequence:
            let changes = reference.flagChanges
            let task = Task { [weak self] in
                for try await flags in changes { self?.note(flags) }
            }
            self.task.withLock { $0 = task }
        }
    }

    private func note(_ flags: ReachabilityFlags) {
        heard.withLock { heard in
            heard.last = flags
            heard.count += 1
        }
        heard.broadcast()
    }

    var last: ReachabilityFlags? { heard.withLock { $0.last } }
    var count: Int { heard.withLock { $0.count } }

    /// Waits until the last flags told are among the expected ones, or until that should have happened long ago.
    func waits(for expected: Set<ReachabilityFlags>) -> Bool {
        func isIn(_ heard: Heard) -> Bool { heard.last.map(expected.contains) ?? false }
        heard.wait(atMost: .seconds(20)) { !isIn($0) }
        return heard.withLock { isIn($0) }
    }

    /// Whether everything was told when its queue is empty. Otherwise a name may still be resolved, or a sequence read.
    var isPrompt: Bool { way == .queue && !subject.isName }

    func end() throws {
        switch way {
        case .queue: try reference.setDispatchQueue(nil)
        case .sequence: task.withLock { $0.take()?.cancel() }
        }
    }
}
