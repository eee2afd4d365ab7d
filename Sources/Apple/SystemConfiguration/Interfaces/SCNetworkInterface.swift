// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Foundation
import ReachabilityLinuxSystem
import ReachabilityReferences
import SystemConfigurationCore

/// A network interface, with the properties that it had when it was listed.
public final class SCNetworkInterface: NSObject, Sendable {
    /// The header that CoreFoundation reads. It has to be the first property.
    private let header = registered.header
    private let inside: ListedInterface

    fileprivate static let registered = RegisteredType(
        "SCNetworkInterface", SCNetworkInterface.self, in: .linked,
        equal: { unsafe SCNetworkInterface.of($0) == SCNetworkInterface.of($1) },
        hash: { UInt(bitPattern: unsafe SCNetworkInterface.of($0).hash) })

    private static func of(_ pointer: UnsafeRawPointer) -> SCNetworkInterface {
        unsafe Unmanaged.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Nil, with a status, if this object is really of another class.
    fileprivate var listed: ListedInterface? { isGenuine(self, Self.registered) ? inside : nil }

    fileprivate init(_ listed: ListedInterface) {
        inside = listed
    }

    /// Two interfaces are equal if they have the same name, type and address.
    public override func isEqual(_ object: Any?) -> Bool { (object as? SCNetworkInterface)?.inside == inside }

    /// The hash of these properties.
    public override var hash: Int { inside.hashValue }
}

/// Returns the type that `CFGetTypeID` returns for an interface.
public func SCNetworkInterfaceGetTypeID() -> CFTypeID {
    undisturbed { SCNetworkInterface.registered.number }
}

/// Returns the interfaces of the calling thread's network namespace that have one of Apple's types. The loopback interface has
/// none, and neither have tunnels of other kinds.
public func SCNetworkInterfaceCopyAll() -> CFArray {
    undisturbed {
        let listed = LegacyStatus.record(otherwise: .failed) { () throws(ReachabilityError) in try ListedInterface.all()
        }
        return (listed ?? []).map(SCNetworkInterface.init) as NSArray
    }
}

/// Returns the name of an interface, such as `eth0`.
public func SCNetworkInterfaceGetBSDName(_ interface: SCNetworkInterface) -> CFString? {
    interface.listed.map { $0.name as NSString }
}

/// Returns the type of an interface, such as ``kSCNetworkInterfaceTypeEthernet``.
public func SCNetworkInterfaceGetInterfaceType(_ interface: SCNetworkInterface) -> CFString? {
    interface.listed.map { $0.type as NSString }
}

/// Returns a name for people, in English.
public func SCNetworkInterfaceGetLocalizedDisplayName(_ interface: SCNetworkInterface) -> CFString? {
    interface.listed.map { $0.displayName as NSString }
}

/// Returns the hardware address in hexadecimal digits; nil if there is none.
public func SCNetworkInterfaceGetHardwareAddressString(_ interface: SCNetworkInterface) -> CFString? {
    interface.listed?.hardwareAddress.map { $0 as NSString }
}

/// Returns the protocols of an interface, such as ``kSCNetworkProtocolTypeIPv4``.
public func SCNetworkInterfaceGetSupportedProtocolTypes(_ interface: SCNetworkInterface) -> CFArray? {
    interface.listed.map { _ in ListedInterface.protocolTypes as NSArray }
}

/// Returns the size of the largest packet that an interface carries now, and the limits within which it may be set.
///
/// - Parameters:
///   - interface: the interface.
///   - mtu_cur: set to the size in bytes. May be nil, like the others.
///   - mtu_min: set to the smallest possible size, or to -1 if the driver names none.
///   - mtu_max: set to the largest possible size, or to -1 if the driver names none.
/// - Returns: false if the interface no longer exists. `SCError()` is then `kSCStatusNoKey`.
public func SCNetworkInterfaceCopyMTU(
    _ interface: SCNetworkInterface, _ mtu_cur: UnsafeMutablePointer<Int32>?, _ mtu_min: UnsafeMutablePointer<Int32>?,
    _ mtu_max: UnsafeMutablePointer<Int32>?
) -> Bool {
    guard let sizes = interface.listed?.packetSizes() else { return false }
    unsafe mtu_cur?.pointee = sizes.largest
    unsafe mtu_min?.pointee = sizes.leastSetting
    unsafe mtu_max?.pointee = sizes.greatestSetting
    return true
}

/// Would return the interface below a layered one. Not offered on Linux: the result is nil.
public func SCNetworkInterfaceGetInterface(_ interface: SCNetworkInterface) -> SCNetworkInterface? { nil }

/// Would make the system configure an interface again. It always fails: on Linux many programs configure interfaces.
///
/// - Returns: false, and `SCError()` is `kSCStatusAccessError`.
@discardableResult
public func SCNetworkInterfaceForceConfigurationRefresh(_ interface: SCNetworkInterface) -> Bool { refused() }

/// The same, by the name of the interface.
///
/// - Returns: false, and `SCError()` is `kSCStatusAccessError`.
@discardableResult
public func SCNetworkInterfaceRefreshConfiguration(_ ifName: CFString) -> Bool { refused() }

// Types of interfaces and protocols (SCNetworkConfiguration.h, configd-1405).

/// An IPv6 tunnel to 6to4 relays. Linux calls it a tunnel of type sit.
public var kSCNetworkInterfaceType6to4: CFString { "6to4" as NSString }
/// Bluetooth networking.
public var kSCNetworkInterfaceTypeBluetooth: CFString { "Bluetooth" as NSString }
/// Several links that act as one.
public var kSCNetworkInterfaceTypeBond: CFString { "Bond" as NSString }
/// Ethernet, also virtual Ethernet and bridges.
public var kSCNetworkInterfaceTypeEthernet: CFString { "Ethernet" as NSString }
/// IP over FireWire.
public var kSCNetworkInterfaceTypeFireWire: CFString { "FireWire" as NSString }
/// Wi-Fi.
public var kSCNetworkInterfaceTypeIEEE80211: CFString { "IEEE80211" as NSString }
/// A tunnel of IPsec.
public var kSCNetworkInterfaceTypeIPSec: CFString { "IPSec" as NSString }
/// Infrared. Never found on Linux.
public var kSCNetworkInterfaceTypeIrDA: CFString { "IrDA" as NSString }
/// A tunnel of L2TP. Never found on Linux: it looks like PPP.
public var kSCNetworkInterfaceTypeL2TP: CFString { "L2TP" as NSString }
/// A modem. Never found on Linux: it looks like PPP.
public var kSCNetworkInterfaceTypeModem: CFString { "Modem" as NSString }
/// A link of PPP.
public var kSCNetworkInterfaceTypePPP: CFString { "PPP" as NSString }
/// A tunnel of PPTP. Never found on Linux: it looks like PPP.
public var kSCNetworkInterfaceTypePPTP: CFString { "PPTP" as NSString }
/// A serial line. Never found on Linux.
public var kSCNetworkInterfaceTypeSerial: CFString { "Serial" as NSString }
/// A virtual LAN.
public var kSCNetworkInterfaceTypeVLAN: CFString { "VLAN" as NSString }
/// A mobile network.
public var kSCNetworkInterfaceTypeWWAN: CFString { "WWAN" as NSString }
/// A tunnel in IPv4.
public var kSCNetworkInterfaceTypeIPv4: CFString { "IPv4" as NSString }

/// Name servers.
public var kSCNetworkProtocolTypeDNS: CFString { "DNS" as NSString }
/// IPv4.
public var kSCNetworkProtocolTypeIPv4: CFString { "IPv4" as NSString }
/// IPv6.
public var kSCNetworkProtocolTypeIPv6: CFString { "IPv6" as NSString }
/// Proxies.
public var kSCNetworkProtocolTypeProxies: CFString { "Proxies" as NSString }
/// SMB.
public var kSCNetworkProtocolTypeSMB: CFString { "SMB" as NSString }
