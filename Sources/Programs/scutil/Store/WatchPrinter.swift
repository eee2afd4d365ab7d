// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit
import SystemConfigurationCore

/// Prints changed keys as Apple's tool does (notifications.c, configd-1405), with the time and how long after the last ones
/// they came.
enum WatchPrinter {
    private static let last = Lock<BootTime?>(nil)

    /// What a session calls when keys have changed.
    static func callout() -> StoreSession.Callout {
        { owner, keys in
            let address = String(UInt(bitPattern: ObjectIdentifier(owner)), radix: 16)
            Output.line("notification callback (store address = 0x\(address)).")
            print(keys, otherwise: "  no changed key's.")
        }
    }

    static func print(_ keys: [String], otherwise none: String) {
        if keys.isEmpty { Output.line(none) }
        for (number, key) in keys.enumerated() {
            Output.line("  \(TimeOfDay.now)\(elapsed()) changedKey [\(number)] = \(key)".printable)
        }
    }

    /// ` (+1.234)`; empty the first time.
    private static func elapsed() -> String {
        let now = SystemTime().now()
        let before = last.withLock { last in
            defer { last = now }
            return last
        }
        guard let before else { return "" }
        let milliseconds = (now.nanoseconds - before.nanoseconds) / 1_000_000
        let fraction = String(milliseconds % 1000)
        return " (+\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction))"
    }
}
