// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Members of the proxies' dictionary (SCSchemaDefinitions.h, configd-1405).

/// Whether there is a proxy for FTP: 1.
public var kSCPropNetProxiesFTPEnable: CFString { "FTPEnable" as NSString }
/// The host of the proxy for FTP: a string.
public var kSCPropNetProxiesFTPProxy: CFString { "FTPProxy" as NSString }
/// The port of the proxy for FTP: a number.
public var kSCPropNetProxiesFTPPort: CFString { "FTPPort" as NSString }

/// Whether there is a proxy for HTTP: 1.
public var kSCPropNetProxiesHTTPEnable: CFString { "HTTPEnable" as NSString }
/// The host of the proxy for HTTP: a string.
public var kSCPropNetProxiesHTTPProxy: CFString { "HTTPProxy" as NSString }
/// The port of the proxy for HTTP: a number.
public var kSCPropNetProxiesHTTPPort: CFString { "HTTPPort" as NSString }

/// Whether there is a proxy for HTTPS: 1.
public var kSCPropNetProxiesHTTPSEnable: CFString { "HTTPSEnable" as NSString }
/// The host of the proxy for HTTPS: a string.
public var kSCPropNetProxiesHTTPSProxy: CFString { "HTTPSProxy" as NSString }
/// The port of the proxy for HTTPS: a number.
public var kSCPropNetProxiesHTTPSPort: CFString { "HTTPSPort" as NSString }

/// Whether there is a proxy for SOCKS: 1.
public var kSCPropNetProxiesSOCKSEnable: CFString { "SOCKSEnable" as NSString }
/// The host of the proxy for SOCKS: a string.
public var kSCPropNetProxiesSOCKSProxy: CFString { "SOCKSProxy" as NSString }
/// The port of the proxy for SOCKS: a number.
public var kSCPropNetProxiesSOCKSPort: CFString { "SOCKSPort" as NSString }

/// The hosts that are reached without a proxy: strings.
public var kSCPropNetProxiesExceptionsList: CFString { "ExceptionsList" as NSString }
/// Whether names without dots are reached without a proxy. Absent on Linux.
public var kSCPropNetProxiesExcludeSimpleHostnames: CFString { "ExcludeSimpleHostnames" as NSString }

/// Whether FTP is passive. Absent on Linux.
public var kSCPropNetProxiesFTPPassive: CFString { "FTPPassive" as NSString }

/// Whether a script determines the proxy. Absent on Linux.
public var kSCPropNetProxiesProxyAutoConfigEnable: CFString { "ProxyAutoConfigEnable" as NSString }
/// The address of that script. Absent on Linux.
public var kSCPropNetProxiesProxyAutoConfigURLString: CFString { "ProxyAutoConfigURLString" as NSString }
/// Whether to search for such a script. Absent on Linux.
public var kSCPropNetProxiesProxyAutoDiscoveryEnable: CFString { "ProxyAutoDiscoveryEnable" as NSString }
