// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
package import ReachabilityReferences

/// A status of Apple's SystemConfiguration framework: kSCStatus… of SystemConfiguration.h (configd-1405), or an errno.
package struct LegacyStatus: Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let ok = LegacyStatus(rawValue: 0)
    package static let failed = LegacyStatus(rawValue: 1001)
    package static let invalidArgument = LegacyStatus(rawValue: 1002)
    package static let accessError = LegacyStatus(rawValue: 1003)
    package static let noKey = LegacyStatus(rawValue: 1004)
    package static let notifierActive = LegacyStatus(rawValue: 2003)
    package static let reachabilityUnknown = LegacyStatus(rawValue: 4001)

    /// From the table in SCD.c (configd-1405).
    private static let sentences: [Int32: StaticString] = [
        0: "Success!",
        1001: "Failed!",
        1002: "Invalid argument",
        1003: "Permission denied",
        1004: "No such key",
        1005: "Key already defined",
        1006: "Lock already held",
        1007: "Lock required for this operation",
        2001: "Configuration daemon session not active",
        2002: "Configuration daemon not (no longer) available",
        2003: "Notifier is currently active",
        3001: "Preference session not active",
        3002: "Preferences update currently in progress",
        3003: "Configuration file not found",
        3004: "No such link",
        3005: "Write attempted on stale version of object",
        3006: "Maximum link count exceeded",
        4001: "Network reachability cannot be determined",
        5001: "Network service for connection not available",
        5002: "Network connection information not available at this time",
    ]

    /// The framework's own sentence; nil for an errno or an unknown number.
    package var sentence: StaticString? { Self.sentences[rawValue] }

    /// Whether it is an errno. Apple's function compares with BSD's ELAST; Linux's last is 133 (asm-generic/errno.h).
    package var isErrno: Bool { (1...133).contains(rawValue) }
}

extension LegacyStatus {
    /// The key of each thread's status. The status is the key's value itself, so nothing is allocated.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// The calling thread's last failure. Success does not reset it (SCD.c, configd-1405).
    package static var last: LegacyStatus {
        get {
            guard let key else { return .ok }
            return LegacyStatus(rawValue: Int32(truncatingIfNeeded: unsafe Int(bitPattern: pthread_getspecific(key))))
        }
        set {
            guard let key else { return }
            unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: Int(newValue.rawValue)))
        }
    }

    /// Stores the status of a failure, and returns false.
    package static func fail(_ status: LegacyStatus) -> Bool {
        last = status
        return false
    }

    /// Stores the status of a failure, and returns nil.
    package static func fail<Value>(_ status: LegacyStatus) -> Value? {
        last = status
        return nil
    }

    /// Calls the core. On failure it stores the status for SCError and returns nil.
    package static func record<Value>(
        otherwise fallback: LegacyStatus, _ body: () throws(ReachabilityError) -> Value
    ) -> Value? {
        do throws(ReachabilityError) {
            return try body()
        } catch {
            return fail(LegacyStatus(error, otherwise: fallback))
        }
    }

    /// The same for what may not be there: then the status is `noKey`.
    package static func find<Value>(_ body: () throws(ReachabilityError) -> Value?) -> Value? {
        guard let found = record(otherwise: .failed, body) else { return nil }
        return found ?? fail(.noKey)
    }

    package init(_ error: ReachabilityError, otherwise fallback: LegacyStatus) {
        if let errno = error.errno {
            self.init(rawValue: errno)
        } else {
            switch error.code {
            case .scheduling, .invalidTarget, .invalidOption, .noSuchInterface: self = .invalidArgument
            default: self = fallback
            }
        }
    }
}

extension LegacyStatus {
    /// The sentence as a C string that is never freed (SCErrorString).
    package var cString: UnsafePointer<CChar> {
        // glibc's strerror returns constants for the numbers it knows.
        if isErrno { return unsafe UnsafePointer(strerror(rawValue)) }
        let text = sentence ?? "Unknown error"
        return unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
