// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemConfiguration

/// Reads the network preferences, as programs for a Mac do.
public enum NetworkPreferences {
    /// The computer's name.
    public static func computerName() -> String? {
        guard let prefs = SCPreferencesCreate(nil, "names" as CFString, nil),
            let system = SCPreferencesPathGetValue(prefs, "/System/System" as CFString) as? [String: Any]
        else { return nil }
        return system[kSCPropSystemComputerName as String] as? String
    }

    /// The names of the interfaces and how they are configured, in the order of the services of the current set.
    public static func services() -> [String] {
        guard let prefs = SCPreferencesCreate(kCFAllocatorDefault, "services" as CFString, nil),
            let set = SCPreferencesGetValue(prefs, kSCPrefCurrentSet) as? String,
            let global = SCPreferencesPathGetValue(prefs, "\(set)/Network/Global/IPv4" as CFString) as? [String: Any],
            let order = global[kSCPropNetServiceOrder as String] as? [String],
            let all = SCPreferencesGetValue(prefs, kSCPrefNetworkServices) as? [String: AnyObject]
        else { return [] }
        return order.map { identifier in
            let service = all[identifier] as? NSDictionary
            // Through the link of the set.
            let path = "\(set)/Network/Service/\(identifier)/IPv4" as CFString
            let configuration = SCPreferencesPathGetValue(prefs, path) as? [String: Any]
            let interface = service?[kSCEntNetInterface as String] as? [String: Any]
            let words: [Any?] = [
                interface?[kSCPropNetInterfaceDeviceName as String],
                interface?[kSCPropNetInterfaceHardware as String],
                configuration?[kSCPropNetIPv4ConfigMethod as String],
                (configuration?[kSCPropNetIPv4Addresses as String] as? [String])?.first,
                configuration?[kSCPropNetIPv4Router as String],
            ]
            return words.map { $0 as? String ?? "-" }.joined(separator: " ")
        }
    }
}

/// Watches the network preferences.
public final class NetworkPreferencesMonitor {
    private let prefs: SCPreferences?
    /// What each notification said.
    public private(set) var notifications: [SCPreferencesNotification] = []
    private let changed: () -> Void

    /// Makes a monitor for a file, or for the preferences of this machine.
    public init(_ file: String? = nil, changed: @escaping () -> Void) {
        prefs = SCPreferencesCreate(nil, "monitor" as CFString, file.map { $0 as CFString })
        self.changed = changed
    }

    /// The names at the top.
    public var keys: [String] { prefs.flatMap { SCPreferencesCopyKeyList($0) } as? [String] ?? [] }

    /// Forgets what was read.
    public func synchronize() {
        if let prefs { SCPreferencesSynchronize(prefs) }
    }

    /// Identifies what was read.
    public var signature: Data? { prefs.flatMap { SCPreferencesGetSignature($0) } as Data? }

    /// Begins.
    public func start(queue: DispatchQueue?) -> Bool {
        guard let prefs else { return false }
        var context = SCPreferencesContext(
            version: 0, info: Unmanaged.passUnretained(self).toOpaque(), retain: nil, release: nil, copyDescription: nil
        )
        let callback: SCPreferencesCallBack = { _, notification, info in
            let monitor = Unmanaged<NetworkPreferencesMonitor>.fromOpaque(info!).takeUnretainedValue()
            monitor.notifications.append(notification)
            monitor.changed()
        }
        guard SCPreferencesSetCallback(prefs, callback, &context) else { return false }
        if let queue { return SCPreferencesSetDispatchQueue(prefs, queue) }
        return SCPreferencesScheduleWithRunLoop(prefs, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
    }

    /// Ends. Whether it ran on a queue or a run loop.
    public func stop(queue: Bool) -> Bool {
        guard let prefs else { return false }
        SCPreferencesSetCallback(prefs, nil, nil)
        if queue { return SCPreferencesSetDispatchQueue(prefs, nil) }
        return SCPreferencesUnscheduleFromRunLoop(prefs, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
    }

    /// Tries to write, in every way. Whether each was refused.
    public func isReadOnly() -> Bool {
        guard let prefs else { return false }
        let attempts = [
            { SCPreferencesLock(prefs, true) }, { SCPreferencesUnlock(prefs) }, { SCPreferencesCommitChanges(prefs) },
            { SCPreferencesApplyChanges(prefs) }, { SCPreferencesRemoveValue(prefs, "a" as CFString) },
            { SCPreferencesSetValue(prefs, kSCPrefCurrentSet, "b" as CFString) },
            { SCPreferencesAddValue(prefs, "c" as CFString, 1 as CFNumber) },
            { SCPreferencesPathSetValue(prefs, "/d" as CFString, [:] as CFDictionary) },
            { SCPreferencesPathSetLink(prefs, "/e" as CFString, "/d" as CFString) },
            { SCPreferencesPathRemoveValue(prefs, "/System" as CFString) },
            { SCPreferencesPathCreateUniqueChild(prefs, "/Sets" as CFString) != nil },
        ]
        return attempts.allSatisfy { attempt in
            _ = SCPreferencesPathGetValue(prefs, "/none" as CFString)
            return SCError() == Int32(kSCStatusNoKey) && !attempt() && SCError() == Int32(kSCStatusAccessError)
        }
    }
}
