// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
public import Foundation
import LegacyReachability

/// The calling thread's last failure. Success does not reset it, so it means something only right after a failure.
public func SCError() -> Int32 { LegacyStatus.last.rawValue }

/// The sentence for a status, or for an error number of the C library. The string is valid for ever.
public func SCErrorString(_ status: Int32) -> UnsafePointer<CChar> {
    unsafe LegacyStatus(rawValue: status).cString
}

/// The domain of errors that carry a status of this framework.
public var kCFErrorDomainSystemConfiguration: CFString { "com.apple.SystemConfiguration" as NSString }

/// The calling thread's last failure as an error object: in this framework's domain, or in POSIX's.
public func SCCopyLastError() -> CFError {
    let status = LegacyStatus.last
    let description = unsafe String(cString: status.cString)
    return NSError(
        domain: status.isErrno ? NSPOSIXErrorDomain : "com.apple.SystemConfiguration", code: Int(status.rawValue),
        userInfo: [NSLocalizedDescriptionKey: description])
}

/// CoreFoundation's function, for what ``SCCopyLastError()`` returns.
public func CFErrorGetCode(_ error: CFError?) -> CFIndex { error?.code ?? 0 }

/// CoreFoundation's function, for what ``SCCopyLastError()`` returns.
public func CFErrorGetDomain(_ error: CFError?) -> CFString? { error.map { $0.domain as NSString } }

/// CoreFoundation's function, for what ``SCCopyLastError()`` returns.
public func CFErrorCopyDescription(_ error: CFError?) -> CFString? { error.map { $0.localizedDescription as NSString } }
