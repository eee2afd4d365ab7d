// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
public import Foundation
import ReachabilityKit
import SystemConfigurationCore

/// The status of the calling thread's last failure. Success does not reset it, so read it only after a failure.
public func SCError() -> Int32 { LegacyStatus.last.rawValue }

/// The sentence for a status or an errno. The string is never freed.
public func SCErrorString(_ status: Int32) -> UnsafePointer<CChar> {
    unsafe LegacyStatus(rawValue: status).cString
}

/// The same, for the constants of statuses, which are of this type.
public func SCErrorString(_ status: Int) -> UnsafePointer<CChar> {
    unsafe SCErrorString(Int32(truncatingIfNeeded: status))
}

/// The error domain of this framework's statuses.
public var kCFErrorDomainSystemConfiguration: CFString { "com.apple.SystemConfiguration" as NSString }

/// The calling thread's last failure as an error, in this framework's domain or in POSIX's.
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

// Foundation gives an error a sentence only if it conforms to its protocol. The core of the package does without
// Foundation, so the core's error conforms here; the module Network declares the same.
extension ReachabilityError: LocalizedError {}
