/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys of the dynamic store, and members of its values. They are strings of CoreFoundation (CFSTR), as in Apple's header
 * where USE_CFSTR_CONSTANT_MACROS is defined. "absent" means that no value on Linux has the member.
 */
#ifndef SYSTEMCONFIGURATION_SCSCHEMADEFINITIONS_H
#define SYSTEMCONFIGURATION_SCSCHEMADEFINITIONS_H

#include <SystemConfiguration/SCBase.h>

/* Parts of keys */
#define kSCDynamicStoreDomainState CFSTR("State:")
#define kSCDynamicStoreDomainSetup CFSTR("Setup:")
#define kSCDynamicStoreDomainFile CFSTR("File:")
#define kSCDynamicStoreDomainPlugin CFSTR("Plugin:")
#define kSCDynamicStoreDomainPrefs CFSTR("Prefs:")
#define kSCCompNetwork CFSTR("Network")
#define kSCCompGlobal CFSTR("Global")
#define kSCCompInterface CFSTR("Interface")
#define kSCCompService CFSTR("Service")
#define kSCCompHostNames CFSTR("HostNames")
#define kSCCompSystem CFSTR("System")
#define kSCCompUsers CFSTR("Users")
#define kSCCompAnyRegex CFSTR("[^/]+")
#define kSCEntNetIPv4 CFSTR("IPv4")
#define kSCEntNetIPv6 CFSTR("IPv6")
#define kSCEntNetDNS CFSTR("DNS")
#define kSCEntNetProxies CFSTR("Proxies")
#define kSCEntNetLink CFSTR("Link")
#define kSCEntNetInterface CFSTR("Interface")
#define kSCEntNetDHCP CFSTR("DHCP")
#define kSCEntNetEthernet CFSTR("Ethernet")
#define kSCEntNetAirPort CFSTR("AirPort")
#define kSCEntNetPPP CFSTR("PPP")
#define kSCEntNetSMB CFSTR("SMB")
#define kSCEntNetIPSec CFSTR("IPSec")
#define kSCEntUsersConsoleUser CFSTR("ConsoleUser")

/* Members of values */
#define kSCDynamicStorePropNetPrimaryInterface CFSTR("PrimaryInterface")
#define kSCDynamicStorePropNetPrimaryService CFSTR("PrimaryService")
#define kSCDynamicStorePropNetInterfaces CFSTR("Interfaces")
#define kSCDynamicStorePropNetServiceIDs CFSTR("ServiceIDs") /* absent */
#define kSCDynamicStorePropSetupCurrentSet CFSTR("CurrentSet") /* absent */
#define kSCDynamicStorePropSetupLastUpdated CFSTR("LastUpdated") /* absent */
#define kSCPropInterfaceName CFSTR("InterfaceName")
#define kSCPropMACAddress CFSTR("MACAddress") /* absent */
#define kSCPropUserDefinedName CFSTR("UserDefinedName") /* absent */
#define kSCPropVersion CFSTR("Version") /* absent */
#define kSCPropNetIPv4Addresses CFSTR("Addresses")
#define kSCPropNetIPv4SubnetMasks CFSTR("SubnetMasks")
#define kSCPropNetIPv4BroadcastAddresses CFSTR("BroadcastAddresses")
#define kSCPropNetIPv4DestAddresses CFSTR("DestAddresses")
#define kSCPropNetIPv4Router CFSTR("Router")
#define kSCPropNetIPv4ConfigMethod CFSTR("ConfigMethod") /* absent */
#define kSCPropNetIPv4DHCPClientID CFSTR("DHCPClientID") /* absent */
#define kSCPropNetIPv6Addresses CFSTR("Addresses")
#define kSCPropNetIPv6PrefixLength CFSTR("PrefixLength")
#define kSCPropNetIPv6Flags CFSTR("Flags")
#define kSCPropNetIPv6DestAddresses CFSTR("DestAddresses")
#define kSCPropNetIPv6Router CFSTR("Router")
#define kSCPropNetIPv6ConfigMethod CFSTR("ConfigMethod") /* absent */
#define kSCPropNetDNSServerAddresses CFSTR("ServerAddresses")
#define kSCPropNetDNSSearchDomains CFSTR("SearchDomains")
#define kSCPropNetDNSDomainName CFSTR("DomainName")
#define kSCPropNetDNSOptions CFSTR("Options") /* absent */
#define kSCPropNetDNSServerPort CFSTR("ServerPort") /* absent */
#define kSCPropNetDNSServerTimeout CFSTR("ServerTimeout") /* absent */
#define kSCPropNetDNSSortList CFSTR("SortList") /* absent */
#define kSCPropNetDNSSearchOrder CFSTR("SearchOrder") /* absent */
#define kSCPropNetDNSSupplementalMatchDomains CFSTR("SupplementalMatchDomains") /* absent */
#define kSCPropNetDNSSupplementalMatchOrders CFSTR("SupplementalMatchOrders") /* absent */
#define kSCPropNetLinkActive CFSTR("Active")
#define kSCPropNetLinkDetaching CFSTR("Detaching") /* absent */
#define kSCPropNetOverridePrimary CFSTR("OverridePrimary") /* absent */
#define kSCPropNetServiceOrder CFSTR("ServiceOrder") /* absent */
#define kSCPropNetLocalHostName CFSTR("LocalHostName")
#define kSCPropSystemComputerName CFSTR("ComputerName")
#define kSCPropSystemComputerNameEncoding CFSTR("ComputerNameEncoding")
#define kSCPropUsersConsoleUserName CFSTR("Name")
#define kSCPropUsersConsoleUserUID CFSTR("UID")
#define kSCPropUsersConsoleUserGID CFSTR("GID")

/* Members of the proxies' dictionary */
#define kSCPropNetProxiesFTPEnable CFSTR("FTPEnable")
#define kSCPropNetProxiesFTPProxy CFSTR("FTPProxy")
#define kSCPropNetProxiesFTPPort CFSTR("FTPPort")
#define kSCPropNetProxiesHTTPEnable CFSTR("HTTPEnable")
#define kSCPropNetProxiesHTTPProxy CFSTR("HTTPProxy")
#define kSCPropNetProxiesHTTPPort CFSTR("HTTPPort")
#define kSCPropNetProxiesHTTPSEnable CFSTR("HTTPSEnable")
#define kSCPropNetProxiesHTTPSProxy CFSTR("HTTPSProxy")
#define kSCPropNetProxiesHTTPSPort CFSTR("HTTPSPort")
#define kSCPropNetProxiesSOCKSEnable CFSTR("SOCKSEnable")
#define kSCPropNetProxiesSOCKSProxy CFSTR("SOCKSProxy")
#define kSCPropNetProxiesSOCKSPort CFSTR("SOCKSPort")
#define kSCPropNetProxiesGopherEnable CFSTR("GopherEnable") /* absent */
#define kSCPropNetProxiesGopherProxy CFSTR("GopherProxy") /* absent */
#define kSCPropNetProxiesGopherPort CFSTR("GopherPort") /* absent */
#define kSCPropNetProxiesRTSPEnable CFSTR("RTSPEnable") /* absent */
#define kSCPropNetProxiesRTSPProxy CFSTR("RTSPProxy") /* absent */
#define kSCPropNetProxiesRTSPPort CFSTR("RTSPPort") /* absent */
#define kSCPropNetProxiesExceptionsList CFSTR("ExceptionsList")
#define kSCPropNetProxiesExcludeSimpleHostnames CFSTR("ExcludeSimpleHostnames") /* absent */
#define kSCPropNetProxiesFTPPassive CFSTR("FTPPassive") /* absent */
#define kSCPropNetProxiesProxyAutoConfigEnable CFSTR("ProxyAutoConfigEnable") /* absent */
#define kSCPropNetProxiesProxyAutoConfigURLString CFSTR("ProxyAutoConfigURLString") /* absent */
#define kSCPropNetProxiesProxyAutoConfigJavaScript CFSTR("ProxyAutoConfigJavaScript") /* absent */
#define kSCPropNetProxiesProxyAutoDiscoveryEnable CFSTR("ProxyAutoDiscoveryEnable") /* absent */

#endif
