// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit
import SystemConfigurationCore

/// `scutil -w KEY -t SECONDS`: waits until a key has a value (do_wait in tests.c, configd-1405).
struct WaitCommand {
    let key: String
    /// Zero waits for ever.
    let seconds: Int

    /// Returns 0 if the key is there, and 1 if the time is up.
    func run() -> Int32 {
        let isTold = ConditionLock(false)
        let session = StoreSession { _, _ in
            isTold.withLock { $0 = true }
            isTold.broadcast()
        }
        session.belong(to: session)
        guard session.watch([key], patterns: []), let thread = try? CallbackThread(),
            session.setQueue(.target(thread))
        else {
            Output.complaint("SCDynamicStoreSetNotificationKeys() failed: \(LegacyStatus.last.text)")
            return 1
        }
        defer { _ = session.setQueue(nil) }
        if session.value(of: key) != nil { return 0 }
        isTold.wait(atMost: seconds > 0 ? .seconds(seconds) : nil) { !$0 }
        return isTold.withLock(\.self) ? 0 : 1
    }
}
