// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Parts of keys (SCSchemaDefinitions.h and SCDynamicStoreKey.h, configd-1405).

/// The domain of the present state.
public var kSCDynamicStoreDomainState: CFString { "State:" as NSString }

/// The domain of what is configured.
public var kSCDynamicStoreDomainSetup: CFString { "Setup:" as NSString }

/// The domain of files. It has no keys on Linux.
public var kSCDynamicStoreDomainFile: CFString { "File:" as NSString }

/// The domain of configd's plug-ins. It has no keys on Linux.
public var kSCDynamicStoreDomainPlugin: CFString { "Plugin:" as NSString }

/// The domain of preferences. It has no keys on Linux.
public var kSCDynamicStoreDomainPrefs: CFString { "Prefs:" as NSString }

/// The part of a key for the network.
public var kSCCompNetwork: CFString { "Network" as NSString }

/// The part of a key for the whole machine.
public var kSCCompGlobal: CFString { "Global" as NSString }

/// The part of a key for an interface.
public var kSCCompInterface: CFString { "Interface" as NSString }

/// The part of a key for a service.
public var kSCCompService: CFString { "Service" as NSString }

/// The part of a key for host names.
public var kSCCompHostNames: CFString { "HostNames" as NSString }

/// The part of a key for the system.
public var kSCCompSystem: CFString { "System" as NSString }

/// The part of a key for users.
public var kSCCompUsers: CFString { "Users" as NSString }

/// The pattern for any one part of a key.
public var kSCCompAnyRegex: CFString { "[^/]+" as NSString }

/// The part of a key for IPv4.
public var kSCEntNetIPv4: CFString { "IPv4" as NSString }

/// The part of a key for IPv6.
public var kSCEntNetIPv6: CFString { "IPv6" as NSString }

/// The part of a key for name servers.
public var kSCEntNetDNS: CFString { "DNS" as NSString }

/// The part of a key for proxies.
public var kSCEntNetProxies: CFString { "Proxies" as NSString }

/// The part of a key for the state of a link.
public var kSCEntNetLink: CFString { "Link" as NSString }

/// The part of a key for the interface of a service. It has no values on Linux.
public var kSCEntNetInterface: CFString { "Interface" as NSString }

/// The part of a key for DHCP. It has no values on Linux.
public var kSCEntNetDHCP: CFString { "DHCP" as NSString }

/// The part of a key for Ethernet. It has no values on Linux.
public var kSCEntNetEthernet: CFString { "Ethernet" as NSString }

/// The part of a key for Wi-Fi. It has no values on Linux.
public var kSCEntNetAirPort: CFString { "AirPort" as NSString }

/// The part of a key for PPP. It has no values on Linux.
public var kSCEntNetPPP: CFString { "PPP" as NSString }

/// The part of a key for SMB. It has no values on Linux.
public var kSCEntNetSMB: CFString { "SMB" as NSString }

/// The part of a key for IPsec. It has no values on Linux.
public var kSCEntNetIPSec: CFString { "IPSec" as NSString }

/// The part of a key for the user at the console.
public var kSCEntUsersConsoleUser: CFString { "ConsoleUser" as NSString }
