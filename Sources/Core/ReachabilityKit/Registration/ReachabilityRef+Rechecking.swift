// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization

/// Watching where the kernel does not announce every change (gVisor, Android, some sandboxes). Everything that is watched is then
/// looked at again at an interval. Elsewhere the interval is not used.
extension ReachabilityRef {
    private static let recheckMilliseconds = Atomic<Int64>(2_000)

    /// How long this process waits between two looks: two seconds by default, and at least 100 ms. A new value holds from the
    /// next look on.
    public static var recheckInterval: Duration {
        get { .milliseconds(recheckMilliseconds.load(ordering: .relaxed)) }
        set {
            let milliseconds = newValue / .milliseconds(1)
            recheckMilliseconds.store(Int64(max(100, min(milliseconds, 1e15))), ordering: .relaxed)
        }
    }

    /// Looks at everything again that is watched in the network namespace of this reference, soon and on the engine's thread.
    ///
    /// A program that learns of a change from elsewhere calls this. It does no harm where the kernel announces all changes.
    public func recheck() { namespace.sharedEngine.present?.recheck() }
}
