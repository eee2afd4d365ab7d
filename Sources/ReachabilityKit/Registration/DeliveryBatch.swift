// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The callbacks that one look of an engine brings, on their way to their queues.
///
/// A value of the engine that looked, since another engine of the same namespace may be looking at the same moment: one
/// that is stopping, and the one after it.
///
/// An item of its own for each of ten thousand callbacks costs the engine a third of its time, so they are put on a queue
/// together. Up to `sideBySide` are put each by itself all the same, so that on a concurrent queue none waits for another:
/// libdispatch has that many threads at most, so more would wait for each other anyway.
struct DeliveryBatch {
    private struct Part {
        let queue: DispatchQueue
        var registrations: [Registration] = []
    }

    private var parts: [ObjectIdentifier: Part] = [:]
    private var elsewhere: [(registration: Registration, target: any DeliveryTarget)] = []
    private(set) var count = 0

    /// libdispatch's DISPATCH_WORKQ_MAX_PTHREAD_COUNT, less generous where there are few processors.
    private static let sideBySide = 64

    /// Adds a registration whose client is to be told; nil for none.
    mutating func add(_ registration: Registration?) {
        guard let registration else { return }
        count += 1
        switch registration.sink {
        case .queue(let queue):
            parts[ObjectIdentifier(queue), default: Part(queue: queue)].registrations.append(registration)
        case .target(let target): elsewhere.append((registration, target))
        }
    }

    /// Has all of the callbacks made.
    consuming func deliver() {
        for part in parts.values { Self.put(part) }
        for (registration, target) in elsewhere { target.deliver { registration.deliver() } }
    }

    private static func put(_ part: Part) {
        guard part.registrations.count > sideBySide else {
            for registration in part.registrations { part.queue.async { registration.deliver() } }
            return
        }
        for start in stride(from: 0, to: part.registrations.count, by: sideBySide) {
            let some = part.registrations[start..<min(start + sideBySide, part.registrations.count)]
            part.queue.async {
                for registration in some { registration.deliver() }
            }
        }
    }
}
