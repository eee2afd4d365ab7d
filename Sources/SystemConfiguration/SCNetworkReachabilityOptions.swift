// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Foundation
import LegacyReachability

// Keys of SCPrivate.h (configd-1405), as far as they are published.

/// A host name: a string that is not empty.
public var kSCNetworkReachabilityOptionNodeName: CFString { "nodename" as NSString }
/// An address of this machine: a socket address as data.
public var kSCNetworkReachabilityOptionLocalAddress: CFString { "local-address" as NSString }
/// The address to reach: a socket address as data.
public var kSCNetworkReachabilityOptionRemoteAddress: CFString { "remote-address" as NSString }
/// An address whose name is looked for. Not offered on Linux: the target is refused.
public var kSCNetworkReachabilityOptionPTRAddress: CFString { "ptr-address" as NSString }
/// The name of the interface packets would be bound to; it has to be there.
public var kSCNetworkReachabilityOptionInterface: CFString { "interface" as NSString }
/// Whether the name is left unresolved.
public var kSCNetworkReachabilityOptionResolverBypass: CFString { "ResolverBypass" as NSString }
/// Taken, and without effect.
public var kSCNetworkReachabilityOptionConnectionOnDemandBypass: CFString { "ConnectionOnDemandBypass" as NSString }
/// Taken, and without effect.
public var kSCNetworkReachabilityOptionServerBypass: CFString { "ServerBypass" as NSString }

/// Makes a target from a dictionary with the keys above: a name, or one or two addresses, and what goes with them.
///
/// - Returns: the target, or nil where the dictionary makes no sense; `SCError()` is `kSCStatusInvalidArgument` then.
public func SCNetworkReachabilityCreateWithOptions(
    _ allocator: CFAllocator?, _ options: NSDictionary?
) -> SCNetworkReachability? {
    guard let options, let read = LegacyOptions(options) else {
        LegacyStatus.last = .invalidArgument
        return nil
    }
    return LegacyTarget.make(options: read).map(SCNetworkReachability.init)
}

extension LegacyOptions {
    /// Nil where a value is of the wrong kind, or something is asked for that Linux does not have.
    fileprivate init?(_ dictionary: NSDictionary) {
        self.init()
        for (key, value) in dictionary {
            let isTaken =
                switch (key as? String) ?? "" {
                case "nodename": Self.take(value as? String, &name)
                case "interface": Self.take(value as? String, &interface)
                case "local-address": Self.take((value as? Data).map(Array.init), &localAddress)
                case "remote-address": Self.take((value as? Data).map(Array.init), &remoteAddress)
                case "ResolverBypass": Self.take(value as? Bool, &bypassesResolver)
                case "ConnectionOnDemandBypass", "ServerBypass": value is Bool
                default: (key as? String) != "ptr-address"
                }
            guard isTaken else { return nil }
        }
    }

    private static func take<Value>(_ value: Value?, _ place: inout Value?) -> Bool {
        place = value
        return value != nil
    }

    private static func take<Value>(_ value: Value?, _ place: inout Value) -> Bool {
        if let value { place = value }
        return value != nil
    }
}
