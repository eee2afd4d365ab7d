// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Foundation
import ReachabilityLinuxSystem
import SystemConfigurationCore

// The keys of SCPrivate.h (configd-1405).

/// A host name: a string that is not empty.
public var kSCNetworkReachabilityOptionNodeName: CFString { "nodename" as NSString }
/// An address of this machine: a socket address as data.
public var kSCNetworkReachabilityOptionLocalAddress: CFString { "local-address" as NSString }
/// The address to reach: a socket address as data.
public var kSCNetworkReachabilityOptionRemoteAddress: CFString { "remote-address" as NSString }
/// An address whose name would be resolved. Not offered on Linux: such a target is refused.
public var kSCNetworkReachabilityOptionPTRAddress: CFString { "ptr-address" as NSString }
/// The name of the interface to which packets are bound. The interface has to exist.
public var kSCNetworkReachabilityOptionInterface: CFString { "interface" as NSString }
/// Whether to leave the name unresolved.
public var kSCNetworkReachabilityOptionResolverBypass: CFString { "ResolverBypass" as NSString }
/// Accepted, but has no effect.
public var kSCNetworkReachabilityOptionConnectionOnDemandBypass: CFString { "ConnectionOnDemandBypass" as NSString }
/// Accepted, but has no effect.
public var kSCNetworkReachabilityOptionServerBypass: CFString { "ServerBypass" as NSString }

/// Makes a target from a dictionary with the keys above: a name, or one or two addresses, and further options.
///
/// - Returns: the target. Nil if the dictionary is not valid; `SCError()` is then `kSCStatusInvalidArgument`.
public func SCNetworkReachabilityCreateWithOptions(
    _ allocator: CFAllocator?, _ options: NSDictionary?
) -> SCNetworkReachability? {
    undisturbed {
        guard let options, let read = LegacyOptions({ LegacyOptions.Entry(options[$0]) }) else {
            return LegacyStatus.fail(.invalidArgument)
        }
        return LegacyTarget.make(options: read).map(SCNetworkReachability.init)
    }
}

extension LegacyOptions.Entry {
    fileprivate init(_ option: Any?) {
        switch option {
        case nil: self = .missing
        case let text as String: self = .value(.string(text))
        case let data as Data: self = .value(.data(Array(data)))
        case let isTrue as Bool: self = .value(.boolean(isTrue))
        default: self = .unreadable
        }
    }
}
