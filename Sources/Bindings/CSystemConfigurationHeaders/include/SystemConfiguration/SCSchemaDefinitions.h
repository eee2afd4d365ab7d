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

/* Preferences */
#define kSCResvLink CFSTR("__LINK__")
#define kSCResvInactive CFSTR("__INACTIVE__")
#define kSCPrefCurrentSet CFSTR("CurrentSet")
#define kSCPrefNetworkServices CFSTR("NetworkServices")
#define kSCPrefSets CFSTR("Sets")
#define kSCPrefSystem CFSTR("System")

/* Parts of keys without values on Linux */
#define kSCEntNetFireWire CFSTR("FireWire")
#define kSCEntNetL2TP CFSTR("L2TP")
#define kSCEntNetModem CFSTR("Modem")
#define kSCEntNetPPPoE CFSTR("PPPoE")
#define kSCEntNetPPPSerial CFSTR("PPPSerial")
#define kSCEntNetPPTP CFSTR("PPTP")
#define kSCEntNet6to4 CFSTR("6to4")

/* Members of links that Linux does not configure: absent, but for those of interfaces in preferences */
#define kSCPropNetInterfaces CFSTR("Interfaces")
#define kSCPropNetPPPOverridePrimary CFSTR("PPPOverridePrimary")
#define kSCPropNetAirPortAllowNetCreation CFSTR("AllowNetCreation")
#define kSCPropNetAirPortAuthPassword CFSTR("AuthPassword")
#define kSCPropNetAirPortAuthPasswordEncryption CFSTR("AuthPasswordEncryption")
#define kSCPropNetAirPortJoinMode CFSTR("JoinMode")
#define kSCPropNetAirPortPowerEnabled CFSTR("PowerEnabled")
#define kSCPropNetAirPortPreferredNetwork CFSTR("PreferredNetwork")
#define kSCPropNetAirPortSavePasswords CFSTR("SavePasswords")
#define kSCPropNetEthernetMediaSubType CFSTR("MediaSubType")
#define kSCPropNetEthernetMediaOptions CFSTR("MediaOptions")
#define kSCPropNetEthernetMTU CFSTR("MTU")
#define kSCPropNetInterfaceDeviceName CFSTR("DeviceName")
#define kSCPropNetInterfaceHardware CFSTR("Hardware")
#define kSCPropNetInterfaceType CFSTR("Type")
#define kSCPropNetInterfaceSubType CFSTR("SubType")
#define kSCPropNetInterfaceSupportsModemOnHold CFSTR("SupportsModemOnHold")
#define kSCPropNet6to4Relay CFSTR("Relay")
#define kSCPropNetSMBNetBIOSName CFSTR("NetBIOSName")
#define kSCPropNetSMBNetBIOSNodeType CFSTR("NetBIOSNodeType")
#define kSCPropNetSMBNetBIOSScope CFSTR("NetBIOSScope")
#define kSCPropNetSMBWINSAddresses CFSTR("WINSAddresses")
#define kSCPropNetSMBWorkgroup CFSTR("Workgroup")

/* Members of dial-up links and of VPNs: absent */
#define kSCPropNetIPSecAuthenticationMethod CFSTR("AuthenticationMethod")
#define kSCPropNetIPSecLocalCertificate CFSTR("LocalCertificate")
#define kSCPropNetIPSecLocalIdentifier CFSTR("LocalIdentifier")
#define kSCPropNetIPSecLocalIdentifierType CFSTR("LocalIdentifierType")
#define kSCPropNetIPSecSharedSecret CFSTR("SharedSecret")
#define kSCPropNetIPSecSharedSecretEncryption CFSTR("SharedSecretEncryption")
#define kSCPropNetIPSecConnectTime CFSTR("ConnectTime")
#define kSCPropNetIPSecRemoteAddress CFSTR("RemoteAddress")
#define kSCPropNetIPSecStatus CFSTR("Status")
#define kSCPropNetIPSecXAuthEnabled CFSTR("XAuthEnabled")
#define kSCPropNetIPSecXAuthName CFSTR("XAuthName")
#define kSCPropNetIPSecXAuthPassword CFSTR("XAuthPassword")
#define kSCPropNetIPSecXAuthPasswordEncryption CFSTR("XAuthPasswordEncryption")
#define kSCPropNetL2TPIPSecSharedSecret CFSTR("IPSecSharedSecret")
#define kSCPropNetL2TPIPSecSharedSecretEncryption CFSTR("IPSecSharedSecretEncryption")
#define kSCPropNetL2TPTransport CFSTR("Transport")
#define kSCPropNetModemAccessPointName CFSTR("AccessPointName")
#define kSCPropNetModemConnectionPersonality CFSTR("ConnectionPersonality")
#define kSCPropNetModemConnectionScript CFSTR("ConnectionScript")
#define kSCPropNetModemConnectSpeed CFSTR("ConnectSpeed")
#define kSCPropNetModemDataCompression CFSTR("DataCompression")
#define kSCPropNetModemDeviceContextID CFSTR("DeviceContextID")
#define kSCPropNetModemDeviceModel CFSTR("DeviceModel")
#define kSCPropNetModemDeviceVendor CFSTR("DeviceVendor")
#define kSCPropNetModemDialMode CFSTR("DialMode")
#define kSCPropNetModemErrorCorrection CFSTR("ErrorCorrection")
#define kSCPropNetModemHoldCallWaitingAudibleAlert CFSTR("HoldCallWaitingAudibleAlert")
#define kSCPropNetModemHoldDisconnectOnAnswer CFSTR("HoldDisconnectOnAnswer")
#define kSCPropNetModemHoldEnabled CFSTR("HoldEnabled")
#define kSCPropNetModemHoldReminder CFSTR("HoldReminder")
#define kSCPropNetModemHoldReminderTime CFSTR("HoldReminderTime")
#define kSCPropNetModemNote CFSTR("Note")
#define kSCPropNetModemPulseDial CFSTR("PulseDial")
#define kSCPropNetModemSpeaker CFSTR("Speaker")
#define kSCPropNetModemSpeed CFSTR("Speed")
#define kSCPropNetPPPACSPEnabled CFSTR("ACSPEnabled")
#define kSCPropNetPPPConnectTime CFSTR("ConnectTime")
#define kSCPropNetPPPDeviceLastCause CFSTR("DeviceLastCause")
#define kSCPropNetPPPDialOnDemand CFSTR("DialOnDemand")
#define kSCPropNetPPPDisconnectOnFastUserSwitch CFSTR("DisconnectOnFastUserSwitch")
#define kSCPropNetPPPDisconnectOnIdle CFSTR("DisconnectOnIdle")
#define kSCPropNetPPPDisconnectOnIdleTimer CFSTR("DisconnectOnIdleTimer")
#define kSCPropNetPPPDisconnectOnLogout CFSTR("DisconnectOnLogout")
#define kSCPropNetPPPDisconnectOnSleep CFSTR("DisconnectOnSleep")
#define kSCPropNetPPPDisconnectTime CFSTR("DisconnectTime")
#define kSCPropNetPPPIdleReminder CFSTR("IdleReminder")
#define kSCPropNetPPPIdleReminderTimer CFSTR("IdleReminderTimer")
#define kSCPropNetPPPLastCause CFSTR("LastCause")
#define kSCPropNetPPPLogfile CFSTR("Logfile")
#define kSCPropNetPPPPlugins CFSTR("Plugins")
#define kSCPropNetPPPRetryConnectTime CFSTR("RetryConnectTime")
#define kSCPropNetPPPSessionTimer CFSTR("SessionTimer")
#define kSCPropNetPPPStatus CFSTR("Status")
#define kSCPropNetPPPUseSessionTimer CFSTR("UseSessionTimer")
#define kSCPropNetPPPVerboseLogging CFSTR("VerboseLogging")
#define kSCPropNetPPPAuthEAPPlugins CFSTR("AuthEAPPlugins")
#define kSCPropNetPPPAuthName CFSTR("AuthName")
#define kSCPropNetPPPAuthPassword CFSTR("AuthPassword")
#define kSCPropNetPPPAuthPasswordEncryption CFSTR("AuthPasswordEncryption")
#define kSCPropNetPPPAuthPrompt CFSTR("AuthPrompt")
#define kSCPropNetPPPAuthProtocol CFSTR("AuthProtocol")
#define kSCPropNetPPPCommAlternateRemoteAddress CFSTR("CommAlternateRemoteAddress")
#define kSCPropNetPPPCommConnectDelay CFSTR("CommConnectDelay")
#define kSCPropNetPPPCommDisplayTerminalWindow CFSTR("CommDisplayTerminalWindow")
#define kSCPropNetPPPCommRedialCount CFSTR("CommRedialCount")
#define kSCPropNetPPPCommRedialEnabled CFSTR("CommRedialEnabled")
#define kSCPropNetPPPCommRedialInterval CFSTR("CommRedialInterval")
#define kSCPropNetPPPCommRemoteAddress CFSTR("CommRemoteAddress")
#define kSCPropNetPPPCommTerminalScript CFSTR("CommTerminalScript")
#define kSCPropNetPPPCommUseTerminalScript CFSTR("CommUseTerminalScript")
#define kSCPropNetPPPCCPEnabled CFSTR("CCPEnabled")
#define kSCPropNetPPPCCPMPPE40Enabled CFSTR("CCPMPPE40Enabled")
#define kSCPropNetPPPCCPMPPE128Enabled CFSTR("CCPMPPE128Enabled")
#define kSCPropNetPPPIPCPCompressionVJ CFSTR("IPCPCompressionVJ")
#define kSCPropNetPPPIPCPUsePeerDNS CFSTR("IPCPUsePeerDNS")
#define kSCPropNetPPPLCPEchoEnabled CFSTR("LCPEchoEnabled")
#define kSCPropNetPPPLCPEchoFailure CFSTR("LCPEchoFailure")
#define kSCPropNetPPPLCPEchoInterval CFSTR("LCPEchoInterval")
#define kSCPropNetPPPLCPCompressionACField CFSTR("LCPCompressionACField")
#define kSCPropNetPPPLCPCompressionPField CFSTR("LCPCompressionPField")
#define kSCPropNetPPPLCPMRU CFSTR("LCPMRU")
#define kSCPropNetPPPLCPMTU CFSTR("LCPMTU")
#define kSCPropNetPPPLCPReceiveACCM CFSTR("LCPReceiveACCM")
#define kSCPropNetPPPLCPTransmitACCM CFSTR("LCPTransmitACCM")

/* Values of members */
#define kSCValNetAirPortJoinModeAutomatic CFSTR("Automatic")
#define kSCValNetAirPortJoinModePreferred CFSTR("Preferred")
#define kSCValNetAirPortJoinModeRanked CFSTR("Ranked")
#define kSCValNetAirPortJoinModeRecent CFSTR("Recent")
#define kSCValNetAirPortJoinModeStrongest CFSTR("Strongest")
#define kSCValNetAirPortAuthPasswordEncryptionKeychain CFSTR("Keychain")
#define kSCValNetInterfaceTypeEthernet CFSTR("Ethernet")
#define kSCValNetInterfaceTypeFireWire CFSTR("FireWire")
#define kSCValNetInterfaceTypePPP CFSTR("PPP")
#define kSCValNetInterfaceType6to4 CFSTR("6to4")
#define kSCValNetInterfaceTypeIPSec CFSTR("IPSec")
#define kSCValNetInterfaceSubTypePPPoE CFSTR("PPPoE")
#define kSCValNetInterfaceSubTypePPPSerial CFSTR("PPPSerial")
#define kSCValNetInterfaceSubTypePPTP CFSTR("PPTP")
#define kSCValNetInterfaceSubTypeL2TP CFSTR("L2TP")
#define kSCValNetIPSecAuthenticationMethodSharedSecret CFSTR("SharedSecret")
#define kSCValNetIPSecAuthenticationMethodCertificate CFSTR("Certificate")
#define kSCValNetIPSecAuthenticationMethodHybrid CFSTR("Hybrid")
#define kSCValNetIPSecLocalIdentifierTypeKeyID CFSTR("KeyID")
#define kSCValNetIPSecSharedSecretEncryptionKeychain CFSTR("Keychain")
#define kSCValNetIPSecXAuthPasswordEncryptionKeychain CFSTR("Keychain")
#define kSCValNetIPSecXAuthPasswordEncryptionPrompt CFSTR("Prompt")
#define kSCValNetIPv4ConfigMethodAutomatic CFSTR("Automatic")
#define kSCValNetIPv4ConfigMethodBOOTP CFSTR("BOOTP")
#define kSCValNetIPv4ConfigMethodDHCP CFSTR("DHCP")
#define kSCValNetIPv4ConfigMethodINFORM CFSTR("INFORM")
#define kSCValNetIPv4ConfigMethodLinkLocal CFSTR("LinkLocal")
#define kSCValNetIPv4ConfigMethodManual CFSTR("Manual")
#define kSCValNetIPv4ConfigMethodPPP CFSTR("PPP")
#define kSCValNetIPv6ConfigMethodAutomatic CFSTR("Automatic")
#define kSCValNetIPv6ConfigMethodLinkLocal CFSTR("LinkLocal")
#define kSCValNetIPv6ConfigMethodManual CFSTR("Manual")
#define kSCValNetIPv6ConfigMethodRouterAdvertisement CFSTR("RouterAdvertisement")
#define kSCValNetIPv6ConfigMethod6to4 CFSTR("6to4")
#define kSCValNetL2TPIPSecSharedSecretEncryptionKeychain CFSTR("Keychain")
#define kSCValNetL2TPTransportIP CFSTR("IP")
#define kSCValNetL2TPTransportIPSec CFSTR("IPSec")
#define kSCValNetModemDialModeIgnoreDialTone CFSTR("IgnoreDialTone")
#define kSCValNetModemDialModeManual CFSTR("Manual")
#define kSCValNetModemDialModeWaitForDialTone CFSTR("WaitForDialTone")
#define kSCValNetPPPAuthPasswordEncryptionKeychain CFSTR("Keychain")
#define kSCValNetPPPAuthPasswordEncryptionToken CFSTR("Token")
#define kSCValNetPPPAuthPromptAfter CFSTR("After")
#define kSCValNetPPPAuthPromptBefore CFSTR("Before")
#define kSCValNetPPPAuthProtocolCHAP CFSTR("CHAP")
#define kSCValNetPPPAuthProtocolEAP CFSTR("EAP")
#define kSCValNetPPPAuthProtocolMSCHAP1 CFSTR("MSCHAP1")
#define kSCValNetPPPAuthProtocolMSCHAP2 CFSTR("MSCHAP2")
#define kSCValNetPPPAuthProtocolPAP CFSTR("PAP")
#define kSCValNetSMBNetBIOSNodeTypeBroadcast CFSTR("Broadcast")
#define kSCValNetSMBNetBIOSNodeTypePeer CFSTR("Peer")
#define kSCValNetSMBNetBIOSNodeTypeMixed CFSTR("Mixed")
#define kSCValNetSMBNetBIOSNodeTypeHybrid CFSTR("Hybrid")

#endif
