// SPDX-License-Identifier: Apache-2.0

import ReachabilityReferences

/// The errors of DNS, numbered as in Bonjour's `dns_sd.h`.
public typealias DNSServiceErrorType = Int32

/// Why a connection, a send or a receive failed.
public enum NWError: Error, Equatable, Sendable, CustomDebugStringConvertible {
    /// A system call failed.
    case posix(POSIXErrorCode)
    /// A name could not be resolved.
    case dns(DNSServiceErrorType)
    /// A secure connection could not be made; the number is Apple's `OSStatus`. Never on Linux.
    case tls(Int32)
    /// A Wi-Fi Aware connection failed. Never on Linux.
    case wifiAware(Int32)

    /// The type of the error, its number, and the sentence of `localizedDescription`.
    public var debugDescription: String {
        switch self {
        case .posix(let code): "POSIXErrorCode(rawValue: \(code.rawValue)): \(sentence)"
        case .dns(let code): "DNSServiceErrorType(rawValue: \(code)): \(sentence)"
        case .tls(let code): "OSStatus(rawValue: \(code))"
        case .wifiAware(let code): "WiFiAware(rawValue: \(code))"
        }
    }

    private var sentence: String {
        switch self {
        case .posix(let code): unsafe String(cString: strerror(code.rawValue))
        case .dns(let code): DNSServiceError(rawValue: code)?.sentence ?? "The name could not be resolved"
        case .tls(let code): "The secure connection failed with status \(code)"
        case .wifiAware(let code): "The Wi-Fi Aware connection failed with error \(code)"
        }
    }
}

extension NWError {
    /// The number of the error: an `errno`, an error of `dns_sd.h`, an `OSStatus`, or one of Wi-Fi Aware.
    public var errorCode: Int {
        switch self {
        case .posix(let code): Int(code.rawValue)
        case .dns(let code), .tls(let code), .wifiAware(let code): Int(code)
        }
    }
}

extension NWError: LocalizedError, CustomNSError {
    /// The sentence that `localizedDescription` returns.
    public var errorDescription: String? { sentence }
    /// The domain as an `NSError`, whose code is `errorCode`.
    public static var errorDomain: String { "Network.NWError" }
    /// The sentence, for an `NSError`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }
}

/// A name server could not answer.
public var kDNSServiceErr_Unknown: Int { DNSServiceError.unknown.number }
/// No host can have the name.
public var kDNSServiceErr_BadParam: Int { DNSServiceError.badParam.number }
/// The name does not exist or has no addresses.
public var kDNSServiceErr_NoSuchRecord: Int { DNSServiceError.noSuchRecord.number }
/// No name server is configured or reachable.
public var kDNSServiceErr_ServiceNotRunning: Int { DNSServiceError.serviceNotRunning.number }
/// No name server answered in time.
public var kDNSServiceErr_Timeout: Int { DNSServiceError.timeout.number }

/// The errors of `dns_sd.h` that a connection can have here. Their names in that file begin with kDNSServiceErr_.
enum DNSServiceError: DNSServiceErrorType {
    case unknown = -65537
    case badParam = -65540
    case noSuchRecord = -65554
    case serviceNotRunning = -65563
    case timeout = -65568

    fileprivate var number: Int { Int(rawValue) }

    var sentence: String {
        switch self {
        case .unknown: "The name server could not answer"
        case .badParam: "No host can have this name"
        case .noSuchRecord: "The name does not exist or has no addresses"
        case .serviceNotRunning: "No name server is configured or reachable"
        case .timeout: "No name server answered in time"
        }
    }
}
