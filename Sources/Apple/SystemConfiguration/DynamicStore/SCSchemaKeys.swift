// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Parts of keys (SCSchemaDefinitions.h and SCDynamicStoreKey.h, configd-1405).

/// The domain of the present state.
public var kSCDynamicStoreDomainState: CFString { "State:" as NSString }
/// The domain of the configuration.
public var kSCDynamicStoreDomainSetup: CFString { "Setup:" as NSString }
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
/// The part of a key for the user at the console.
public var kSCEntUsersConsoleUser: CFString { "ConsoleUser" as NSString }

// Members of values (SCSchemaDefinitions.h, configd-1405).

/// The name of the interface of the default route: a string.
public var kSCDynamicStorePropNetPrimaryInterface: CFString { "PrimaryInterface" as NSString }
/// The identifier of its service: a string.
public var kSCDynamicStorePropNetPrimaryService: CFString { "PrimaryService" as NSString }
/// The names of all interfaces: strings.
public var kSCDynamicStorePropNetInterfaces: CFString { "Interfaces" as NSString }
/// The name of an interface: a string.
public var kSCPropInterfaceName: CFString { "InterfaceName" as NSString }

/// The IPv4 addresses of an interface: strings.
public var kSCPropNetIPv4Addresses: CFString { "Addresses" as NSString }
/// Their masks, in the same order: strings.
public var kSCPropNetIPv4SubnetMasks: CFString { "SubnetMasks" as NSString }
/// Their broadcast addresses, in the same order: strings.
public var kSCPropNetIPv4BroadcastAddresses: CFString { "BroadcastAddresses" as NSString }
/// The addresses of their peers, in the same order: strings.
public var kSCPropNetIPv4DestAddresses: CFString { "DestAddresses" as NSString }
/// The gateway of the default route: a string.
public var kSCPropNetIPv4Router: CFString { "Router" as NSString }
/// The IPv6 addresses of an interface: strings.
public var kSCPropNetIPv6Addresses: CFString { "Addresses" as NSString }
/// The lengths of their prefixes, in the same order: numbers.
public var kSCPropNetIPv6PrefixLength: CFString { "PrefixLength" as NSString }
/// Their flags, as in Apple's netinet6/in6_var.h, in the same order: numbers.
public var kSCPropNetIPv6Flags: CFString { "Flags" as NSString }
/// The addresses of their peers, in the same order: strings.
public var kSCPropNetIPv6DestAddresses: CFString { "DestAddresses" as NSString }
/// The gateway of the default route: a string.
public var kSCPropNetIPv6Router: CFString { "Router" as NSString }
/// The name servers: strings.
public var kSCPropNetDNSServerAddresses: CFString { "ServerAddresses" as NSString }
/// The domains that are searched: strings.
public var kSCPropNetDNSSearchDomains: CFString { "SearchDomains" as NSString }
/// The first of these domains: a string.
public var kSCPropNetDNSDomainName: CFString { "DomainName" as NSString }
/// Whether the link is up and has a carrier: a Boolean value.
public var kSCPropNetLinkActive: CFString { "Active" as NSString }
/// The name for multicast DNS: a string.
public var kSCPropNetLocalHostName: CFString { "LocalHostName" as NSString }

/// The name for people: a string.
public var kSCPropSystemComputerName: CFString { "ComputerName" as NSString }
/// The encoding of that name: a number.
public var kSCPropSystemComputerNameEncoding: CFString { "ComputerNameEncoding" as NSString }

/// The name of the user at the console: a string.
public var kSCPropUsersConsoleUserName: CFString { "Name" as NSString }
/// The number of that user: a number.
public var kSCPropUsersConsoleUserUID: CFString { "UID" as NSString }
/// The group of that user: a number.
public var kSCPropUsersConsoleUserGID: CFString { "GID" as NSString }
