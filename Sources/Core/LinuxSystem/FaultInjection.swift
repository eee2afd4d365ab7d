// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Makes chosen system calls fail, so that tests can take every failure path of the package.
///
/// Exists in debug builds, and in release builds of the tests, which define `FAULT_INJECTION`. Elsewhere the check compiles to nothing.
package enum FaultInjection {
    /// The calls that can be made to fail.
    package enum Call: Hashable, Sendable {
        case open, read, write, stat, rename
        case socket, bind, setOption, getOption, connect, send, receive
        case epollCreate, epollControl, epollModify, epollWait
        case eventDescriptor, timerDescriptor, signalDescriptor
        case inotifyCreate, inotifyAdd
        case threadCreate
    }

    #if DEBUG || FAULT_INJECTION
    private struct Plan {
        var error: Errno
        var skipping: Int
        var remaining: Int
    }

    private static let armed = Atomic<Int>(0)
    private static let plans = Lock<[Call: Plan]>([:])

    /// Makes `call` fail with `error`, `times` times, after `skipping` calls that succeed.
    package static func fail(_ call: Call, with error: Errno, skipping: Int = 0, times: Int = 1) {
        plans.withLock { plans in
            plans[call] = Plan(error: error, skipping: skipping, remaining: times)
            armed.store(plans.count, ordering: .releasing)
        }
    }

    /// Removes all planned failures.
    package static func reset() {
        plans.withLock { plans in
            plans.removeAll()
            armed.store(0, ordering: .releasing)
        }
    }

    static func check(_ call: Call) throws(Errno) {
        guard armed.load(ordering: .acquiring) != 0 else { return }
        let forced: Errno? = plans.withLock { plans in
            guard var plan = plans[call] else { return nil }
            defer { plans[call] = plan }
            if plan.skipping > 0 {
                plan.skipping -= 1
                return nil
            }
            guard plan.remaining > 0 else { return nil }
            plan.remaining -= 1
            return plan.error
        }
        if let forced { throw forced }
    }
    #else
    @inline(__always)
    static func check(_ call: Call) throws(Errno) {}
    #endif
}
