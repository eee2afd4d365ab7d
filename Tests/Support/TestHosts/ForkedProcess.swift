// SPDX-License-Identifier: Apache-2.0

package import CTestTopology
import Glibc
import ReachabilityLinuxSystem
import TestWaiting

/// Swift's Glibc module lacks it.
@_silgen_name("fork") private func forkWithoutLimit() -> pid_t

/// fork(2). SIGALRM ends a child that hangs, so that its parent does not hang as well.
package func forkProcess() -> pid_t {
    let child = forkWithoutLimit()
    guard child == 0 else { return child }
    // The thread may have every signal blocked.
    var limit = sigset_t()
    unsafe sigemptyset(&limit)
    unsafe sigaddset(&limit, SIGALRM)
    unsafe pthread_sigmask(SIG_UNBLOCK, &limit, nil)
    alarm(UInt32(WaitLimit.seconds))
    return child
}

/// Lets a process tell another something, a byte at a time.
package struct BytePipe: Sendable {
    private let ends: [Int32]

    package init() {
        var ends: [Int32] = [-1, -1]
        unsafe precondition(pipe(&ends) == 0)
        self.ends = ends
    }

    package func write(_ byte: UInt8) {
        var byte = byte
        unsafe precondition(Glibc.write(ends[1], &byte, 1) == 1)
    }

    /// Waits for a byte. Nil if none comes.
    package func read() -> UInt8? {
        var byte: UInt8 = 0
        guard topology_wait_readable(ends[0], WaitLimit.milliseconds) > 0 else { return nil }
        return unsafe Glibc.read(ends[0], &byte, 1) == 1 ? byte : nil
    }
}
