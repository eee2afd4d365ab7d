// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
public import Foundation
import SystemConfigurationCore

/// Returns the status of the calling thread's last failure. Success does not reset it, so read it only after a failure.
public func SCError() -> Int32 { LegacyStatus.last.rawValue }

/// Returns the message for a status or an errno. The string is never freed.
public func SCErrorString(_ status: Int32) -> UnsafePointer<CChar> {
    unsafe LegacyStatus(rawValue: status).cString
}

/// The same, for the status constants, which have this type.
public func SCErrorString(_ status: Int) -> UnsafePointer<CChar> {
    unsafe SCErrorString(Int32(truncatingIfNeeded: status))
}

/// The error domain of the framework's statuses.
public var kCFErrorDomainSystemConfiguration: CFString { "com.apple.SystemConfiguration" as NSString }

/// Returns the calling thread's last failure as an error, in this framework's domain or in the POSIX domain.
public func SCCopyLastError() -> CFError {
    let status = LegacyStatus.last
    let description = unsafe String(cString: status.cString)
    return NSError(
        domain: status.isErrno ? NSPOSIXErrorDomain : "com.apple.SystemConfiguration", code: Int(status.rawValue),
        userInfo: [NSLocalizedDescriptionKey: description])
}

/// CoreFoundation's function, for the result of ``SCCopyLastError()``.
public func CFErrorGetCode(_ error: CFError?) -> CFIndex { error?.code ?? 0 }

/// CoreFoundation's function, for the result of ``SCCopyLastError()``.
public func CFErrorGetDomain(_ error: CFError?) -> CFString? { error.map { $0.domain as NSString } }

/// CoreFoundation's function, for the result of ``SCCopyLastError()``.
public func CFErrorCopyDescription(_ error: CFError?) -> CFString? { error.map { $0.localizedDescription as NSString } }

// The statuses of SystemConfiguration.h (configd-1405). This package uses only 0, 1001 to 1005, 2001 to 2003, 3001, 3006 and
// 4001.

/// No error.
public let kSCStatusOK = 0

/// A failure of another kind.
public let kSCStatusFailed = 1001
/// An argument is invalid, or calls were made in the wrong order.
public let kSCStatusInvalidArgument = 1002
/// Permission denied.
public let kSCStatusAccessError = 1003
/// No such key.
public let kSCStatusNoKey = 1004
/// The key is defined already.
public let kSCStatusKeyExists = 1005
/// The lock is held already.
public let kSCStatusLocked = 1006
/// The operation needs the lock.
public let kSCStatusNeedLock = 1007

/// No session with the configuration store.
public let kSCStatusNoStoreSession = 2001
/// No configuration store.
public let kSCStatusNoStoreServer = 2002
/// A notifier is active already.
public let kSCStatusNotifierActive = 2003

/// No preferences session.
public let kSCStatusNoPrefsSession = 3001
/// The preferences are being updated.
public let kSCStatusPrefsBusy = 3002
/// No configuration file.
public let kSCStatusNoConfigFile = 3003
/// No such link.
public let kSCStatusNoLink = 3004
/// The object is out of date.
public let kSCStatusStale = 3005
/// Too many links.
public let kSCStatusMaxLink = 3006

/// The reachability could not be determined.
public let kSCStatusReachabilityUnknown = 4001

/// No network service for the connection.
public let kSCStatusConnectionNoService = 5001
/// Connection information is not available now.
public let kSCStatusConnectionIgnore = 5002
