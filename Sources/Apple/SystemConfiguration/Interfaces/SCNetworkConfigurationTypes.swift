// SPDX-License-Identifier: Apache-2.0

public import Foundation

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
