// SPDX-License-Identifier: Apache-2.0

/// Work that an event loop runs once, at some moment.
package final class LoopTimer: @unchecked Sendable {  // confined to the loop's thread
    fileprivate let moment: BootTime
    fileprivate let number: UInt64
    /// Nil when the timer has fired or was cancelled.
    fileprivate var work: (() -> Void)?

    fileprivate init(_ moment: BootTime, number: UInt64, _ work: @escaping () -> Void) {
        (self.moment, self.number, self.work) = (moment, number, work)
    }

    fileprivate static func precedes(_ left: LoopTimer, _ right: LoopTimer) -> Bool {
        (left.moment.nanoseconds, left.number) < (right.moment.nanoseconds, right.number)
    }
}

/// Timers in the order of their moments; timers of the same moment in the order of insertion.
struct TimerQueue {
    /// The earliest timer is the first. Cancelled ones stay until they reach that place or outnumber the others.
    private var heap: [LoopTimer] = []
    private var cancelled = 0
    private var count: UInt64 = 0

    var next: BootTime? { heap.first?.moment }

    mutating func insert(_ moment: BootTime, _ work: @escaping () -> Void) -> LoopTimer {
        count += 1
        let timer = LoopTimer(moment, number: count, work)
        heap.append(timer)
        var index = heap.count - 1
        while index > 0, LoopTimer.precedes(heap[index], heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
        return timer
    }

    /// Does nothing if the timer has fired, or was cancelled before.
    mutating func cancel(_ timer: LoopTimer) {
        guard timer.work != nil else { return }
        timer.work = nil
        cancelled += 1
        dropCancelled()
    }

    /// Also releases what the timers' work refers to, which may refer to the timer.
    mutating func cancelAll() {
        for timer in heap { timer.work = nil }
        heap = []
        cancelled = 0
    }

    mutating func popDue(at now: BootTime) -> (() -> Void)? {
        guard let first = heap.first, first.moment <= now else { return nil }
        removeFirst()
        let work = first.work
        first.work = nil
        dropCancelled()
        return work
    }

    private mutating func dropCancelled() {
        while let first = heap.first, first.work == nil {
            removeFirst()
            cancelled -= 1
        }
        if cancelled > heap.count / 2 + 8 {
            heap.removeAll { $0.work == nil }
            cancelled = 0
            // A sorted array is a heap.
            heap.sort(by: LoopTimer.precedes)
        }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && LoopTimer.precedes(heap[child], heap[least]) {
                least = child
            }
            if least == index { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
