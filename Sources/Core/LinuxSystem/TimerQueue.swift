// SPDX-License-Identifier: Apache-2.0

/// A queue of elements in the order of their moments, and for the same moment in the order of insertion. Public, so that the
/// compiler can inline it into its callers (see `Lock`).
public struct MomentQueue<Element> {
    @usableFromInline struct Entry {
        @usableFromInline let moment: BootTime
        @usableFromInline let number: UInt64
        @usableFromInline let element: Element

        @inlinable init(moment: BootTime, number: UInt64, element: Element) {
            (self.moment, self.number, self.element) = (moment, number, element)
        }

        @inlinable func precedes(_ other: Entry) -> Bool {
            (moment.nanoseconds, number) < (other.moment.nanoseconds, other.number)
        }
    }

    /// The earliest entry comes first.
    @usableFromInline var heap: [Entry] = []
    @usableFromInline var lastNumber: UInt64 = 0

    /// Makes an empty queue.
    @inlinable public init() {}

    package var count: Int { heap.count }
    /// The moment of the first element; nil if the queue is empty.
    @inlinable public var next: BootTime? { heap.first?.moment }
    package var first: Element? { heap.first?.element }

    /// Adds an element.
    @inlinable public mutating func insert(_ element: Element, at moment: BootTime) {
        lastNumber += 1
        heap.append(Entry(moment: moment, number: lastNumber, element: element))
        var index = heap.count - 1
        while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes and returns the first element if its moment has come.
    @inlinable public mutating func popDue(at now: BootTime) -> Element? {
        guard let next, next <= now else { return nil }
        return removeFirst()
    }

    /// Removes and returns the first element. The queue must not be empty.
    @inlinable @discardableResult
    public mutating func removeFirst() -> Element {
        heap.swapAt(0, heap.count - 1)
        let first = heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].precedes(heap[least]) {
                least = child
            }
            if least == index { return first.element }
            heap.swapAt(index, least)
            index = least
        }
    }

    package mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        heap.removeAll { isUnwanted($0.element) }
        // A sorted array is a heap.
        heap.sort { $0.precedes($1) }
    }
}

/// Work that an event loop runs once, at some moment.
package final class LoopTimer: @unchecked Sendable {  // confined to the loop's thread
    /// Nil when the timer has fired or was cancelled.
    fileprivate var work: (() -> Void)?

    fileprivate init(_ work: @escaping () -> Void) { self.work = work }
}

/// The timers of an event loop.
struct TimerQueue {
    /// Cancelled timers stay until they come first or are the majority.
    private var timers = MomentQueue<LoopTimer>()
    private var cancelled = 0

    var next: BootTime? { timers.next }

    mutating func insert(_ moment: BootTime, _ work: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(work)
        timers.insert(timer, at: moment)
        return timer
    }

    /// Does nothing if the timer has fired, or was cancelled before.
    mutating func cancel(_ timer: LoopTimer) {
        guard timer.work != nil else { return }
        timer.work = nil
        cancelled += 1
        dropCancelled()
    }

    /// Also releases everything that the timers' work refers to, which may refer to the timer.
    mutating func cancelAll() {
        timers.removeAll { timer in
            timer.work = nil
            return true
        }
        cancelled = 0
    }

    mutating func popDue(at now: BootTime) -> (() -> Void)? {
        guard let timer = timers.popDue(at: now) else { return nil }
        defer { dropCancelled() }
        return timer.work.take()
    }

    private mutating func dropCancelled() {
        while let first = timers.first, first.work == nil {
            timers.removeFirst()
            cancelled -= 1
        }
        if cancelled > timers.count / 2 + 8 {
            timers.removeAll { $0.work == nil }
            cancelled = 0
        }
    }
}
