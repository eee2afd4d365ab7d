// SPDX-License-Identifier: Apache-2.0

/// The errors of DNS as Bonjour numbers them.
public typealias DNSServiceErrorType = Int32

/// Why something failed.
public enum NWError: Error, Equatable, Sendable, CustomDebugStringConvertible {
    /// A system call failed.
    case posix(POSIXErrorCode)
    /// A name could not be resolved.
    case dns(DNSServiceErrorType)
    /// A secure connection could not be made; the number is Apple's `OSStatus`.
    case tls(Int32)

    /// The error in words.
    public var debugDescription: String {
        switch self {
        case .posix(let code): "POSIXErrorCode(rawValue: \(code.rawValue)): \(POSIXError(code).localizedDescription)"
        case .dns(let code): "DNSServiceErrorType(rawValue: \(code))"
        case .tls(let code): "OSStatus(rawValue: \(code))"
        }
    }
}
