// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Members of dial-up links and of VPNs (SCSchemaDefinitions.h, configd-1405).

/// The member `AuthenticationMethod` of IPsec. Absent on Linux.
public var kSCPropNetIPSecAuthenticationMethod: CFString { "AuthenticationMethod" as NSString }
/// The member `LocalCertificate` of IPsec. Absent on Linux.
public var kSCPropNetIPSecLocalCertificate: CFString { "LocalCertificate" as NSString }
/// The member `LocalIdentifier` of IPsec. Absent on Linux.
public var kSCPropNetIPSecLocalIdentifier: CFString { "LocalIdentifier" as NSString }
/// The member `LocalIdentifierType` of IPsec. Absent on Linux.
public var kSCPropNetIPSecLocalIdentifierType: CFString { "LocalIdentifierType" as NSString }
/// The member `SharedSecret` of IPsec. Absent on Linux.
public var kSCPropNetIPSecSharedSecret: CFString { "SharedSecret" as NSString }
/// The member `SharedSecretEncryption` of IPsec. Absent on Linux.
public var kSCPropNetIPSecSharedSecretEncryption: CFString { "SharedSecretEncryption" as NSString }
/// The member `ConnectTime` of IPsec. Absent on Linux.
public var kSCPropNetIPSecConnectTime: CFString { "ConnectTime" as NSString }
/// The member `RemoteAddress` of IPsec. Absent on Linux.
public var kSCPropNetIPSecRemoteAddress: CFString { "RemoteAddress" as NSString }
/// The member `Status` of IPsec. Absent on Linux.
public var kSCPropNetIPSecStatus: CFString { "Status" as NSString }
/// The member `XAuthEnabled` of IPsec. Absent on Linux.
public var kSCPropNetIPSecXAuthEnabled: CFString { "XAuthEnabled" as NSString }
/// The member `XAuthName` of IPsec. Absent on Linux.
public var kSCPropNetIPSecXAuthName: CFString { "XAuthName" as NSString }
/// The member `XAuthPassword` of IPsec. Absent on Linux.
public var kSCPropNetIPSecXAuthPassword: CFString { "XAuthPassword" as NSString }
/// The member `XAuthPasswordEncryption` of IPsec. Absent on Linux.
public var kSCPropNetIPSecXAuthPasswordEncryption: CFString { "XAuthPasswordEncryption" as NSString }

/// The member `IPSecSharedSecret` of L2TP. Absent on Linux.
public var kSCPropNetL2TPIPSecSharedSecret: CFString { "IPSecSharedSecret" as NSString }
/// The member `IPSecSharedSecretEncryption` of L2TP. Absent on Linux.
public var kSCPropNetL2TPIPSecSharedSecretEncryption: CFString { "IPSecSharedSecretEncryption" as NSString }
/// The member `Transport` of L2TP. Absent on Linux.
public var kSCPropNetL2TPTransport: CFString { "Transport" as NSString }

/// The member `AccessPointName` of modems. Absent on Linux.
public var kSCPropNetModemAccessPointName: CFString { "AccessPointName" as NSString }
/// The member `ConnectionPersonality` of modems. Absent on Linux.
public var kSCPropNetModemConnectionPersonality: CFString { "ConnectionPersonality" as NSString }
/// The member `ConnectionScript` of modems. Absent on Linux.
public var kSCPropNetModemConnectionScript: CFString { "ConnectionScript" as NSString }
/// The member `ConnectSpeed` of modems. Absent on Linux.
public var kSCPropNetModemConnectSpeed: CFString { "ConnectSpeed" as NSString }
/// The member `DataCompression` of modems. Absent on Linux.
public var kSCPropNetModemDataCompression: CFString { "DataCompression" as NSString }
/// The member `DeviceContextID` of modems. Absent on Linux.
public var kSCPropNetModemDeviceContextID: CFString { "DeviceContextID" as NSString }
/// The member `DeviceModel` of modems. Absent on Linux.
public var kSCPropNetModemDeviceModel: CFString { "DeviceModel" as NSString }
/// The member `DeviceVendor` of modems. Absent on Linux.
public var kSCPropNetModemDeviceVendor: CFString { "DeviceVendor" as NSString }
/// The member `DialMode` of modems. Absent on Linux.
public var kSCPropNetModemDialMode: CFString { "DialMode" as NSString }
/// The member `ErrorCorrection` of modems. Absent on Linux.
public var kSCPropNetModemErrorCorrection: CFString { "ErrorCorrection" as NSString }
/// The member `HoldCallWaitingAudibleAlert` of modems. Absent on Linux.
public var kSCPropNetModemHoldCallWaitingAudibleAlert: CFString { "HoldCallWaitingAudibleAlert" as NSString }
/// The member `HoldDisconnectOnAnswer` of modems. Absent on Linux.
public var kSCPropNetModemHoldDisconnectOnAnswer: CFString { "HoldDisconnectOnAnswer" as NSString }
/// The member `HoldEnabled` of modems. Absent on Linux.
public var kSCPropNetModemHoldEnabled: CFString { "HoldEnabled" as NSString }
/// The member `HoldReminder` of modems. Absent on Linux.
public var kSCPropNetModemHoldReminder: CFString { "HoldReminder" as NSString }
/// The member `HoldReminderTime` of modems. Absent on Linux.
public var kSCPropNetModemHoldReminderTime: CFString { "HoldReminderTime" as NSString }
/// The member `Note` of modems. Absent on Linux.
public var kSCPropNetModemNote: CFString { "Note" as NSString }
/// The member `PulseDial` of modems. Absent on Linux.
public var kSCPropNetModemPulseDial: CFString { "PulseDial" as NSString }
/// The member `Speaker` of modems. Absent on Linux.
public var kSCPropNetModemSpeaker: CFString { "Speaker" as NSString }
/// The member `Speed` of modems. Absent on Linux.
public var kSCPropNetModemSpeed: CFString { "Speed" as NSString }

/// The member `ACSPEnabled` of PPP. Absent on Linux.
public var kSCPropNetPPPACSPEnabled: CFString { "ACSPEnabled" as NSString }
/// The member `ConnectTime` of PPP. Absent on Linux.
public var kSCPropNetPPPConnectTime: CFString { "ConnectTime" as NSString }
/// The member `DeviceLastCause` of PPP. Absent on Linux.
public var kSCPropNetPPPDeviceLastCause: CFString { "DeviceLastCause" as NSString }
/// The member `DialOnDemand` of PPP. Absent on Linux.
public var kSCPropNetPPPDialOnDemand: CFString { "DialOnDemand" as NSString }
/// The member `DisconnectOnFastUserSwitch` of PPP. Absent on Linux.
public var kSCPropNetPPPDisconnectOnFastUserSwitch: CFString { "DisconnectOnFastUserSwitch" as NSString }
/// The member `DisconnectOnIdle` of PPP. Absent on Linux.
public var kSCPropNetPPPDisconnectOnIdle: CFString { "DisconnectOnIdle" as NSString }
/// The member `DisconnectOnIdleTimer` of PPP. Absent on Linux.
public var kSCPropNetPPPDisconnectOnIdleTimer: CFString { "DisconnectOnIdleTimer" as NSString }
/// The member `DisconnectOnLogout` of PPP. Absent on Linux.
public var kSCPropNetPPPDisconnectOnLogout: CFString { "DisconnectOnLogout" as NSString }
/// The member `DisconnectOnSleep` of PPP. Absent on Linux.
public var kSCPropNetPPPDisconnectOnSleep: CFString { "DisconnectOnSleep" as NSString }
/// The member `DisconnectTime` of PPP. Absent on Linux.
public var kSCPropNetPPPDisconnectTime: CFString { "DisconnectTime" as NSString }
/// The member `IdleReminder` of PPP. Absent on Linux.
public var kSCPropNetPPPIdleReminder: CFString { "IdleReminder" as NSString }
/// The member `IdleReminderTimer` of PPP. Absent on Linux.
public var kSCPropNetPPPIdleReminderTimer: CFString { "IdleReminderTimer" as NSString }
/// The member `LastCause` of PPP. Absent on Linux.
public var kSCPropNetPPPLastCause: CFString { "LastCause" as NSString }
/// The member `Logfile` of PPP. Absent on Linux.
public var kSCPropNetPPPLogfile: CFString { "Logfile" as NSString }
/// The member `Plugins` of PPP. Absent on Linux.
public var kSCPropNetPPPPlugins: CFString { "Plugins" as NSString }
/// The member `RetryConnectTime` of PPP. Absent on Linux.
public var kSCPropNetPPPRetryConnectTime: CFString { "RetryConnectTime" as NSString }
/// The member `SessionTimer` of PPP. Absent on Linux.
public var kSCPropNetPPPSessionTimer: CFString { "SessionTimer" as NSString }
/// The member `Status` of PPP. Absent on Linux.
public var kSCPropNetPPPStatus: CFString { "Status" as NSString }
/// The member `UseSessionTimer` of PPP. Absent on Linux.
public var kSCPropNetPPPUseSessionTimer: CFString { "UseSessionTimer" as NSString }
/// The member `VerboseLogging` of PPP. Absent on Linux.
public var kSCPropNetPPPVerboseLogging: CFString { "VerboseLogging" as NSString }
/// The member `AuthEAPPlugins` of PPP. Absent on Linux.
public var kSCPropNetPPPAuthEAPPlugins: CFString { "AuthEAPPlugins" as NSString }
/// The member `AuthName` of PPP. Absent on Linux.
public var kSCPropNetPPPAuthName: CFString { "AuthName" as NSString }
/// The member `AuthPassword` of PPP. Absent on Linux.
public var kSCPropNetPPPAuthPassword: CFString { "AuthPassword" as NSString }
/// The member `AuthPasswordEncryption` of PPP. Absent on Linux.
public var kSCPropNetPPPAuthPasswordEncryption: CFString { "AuthPasswordEncryption" as NSString }
/// The member `AuthPrompt` of PPP. Absent on Linux.
public var kSCPropNetPPPAuthPrompt: CFString { "AuthPrompt" as NSString }
/// The member `AuthProtocol` of PPP. Absent on Linux.
public var kSCPropNetPPPAuthProtocol: CFString { "AuthProtocol" as NSString }
/// The member `CommAlternateRemoteAddress` of PPP. Absent on Linux.
public var kSCPropNetPPPCommAlternateRemoteAddress: CFString { "CommAlternateRemoteAddress" as NSString }
/// The member `CommConnectDelay` of PPP. Absent on Linux.
public var kSCPropNetPPPCommConnectDelay: CFString { "CommConnectDelay" as NSString }
/// The member `CommDisplayTerminalWindow` of PPP. Absent on Linux.
public var kSCPropNetPPPCommDisplayTerminalWindow: CFString { "CommDisplayTerminalWindow" as NSString }
/// The member `CommRedialCount` of PPP. Absent on Linux.
public var kSCPropNetPPPCommRedialCount: CFString { "CommRedialCount" as NSString }
/// The member `CommRedialEnabled` of PPP. Absent on Linux.
public var kSCPropNetPPPCommRedialEnabled: CFString { "CommRedialEnabled" as NSString }
/// The member `CommRedialInterval` of PPP. Absent on Linux.
public var kSCPropNetPPPCommRedialInterval: CFString { "CommRedialInterval" as NSString }
/// The member `CommRemoteAddress` of PPP. Absent on Linux.
public var kSCPropNetPPPCommRemoteAddress: CFString { "CommRemoteAddress" as NSString }
/// The member `CommTerminalScript` of PPP. Absent on Linux.
public var kSCPropNetPPPCommTerminalScript: CFString { "CommTerminalScript" as NSString }
/// The member `CommUseTerminalScript` of PPP. Absent on Linux.
public var kSCPropNetPPPCommUseTerminalScript: CFString { "CommUseTerminalScript" as NSString }
/// The member `CCPEnabled` of PPP. Absent on Linux.
public var kSCPropNetPPPCCPEnabled: CFString { "CCPEnabled" as NSString }
/// The member `CCPMPPE40Enabled` of PPP. Absent on Linux.
public var kSCPropNetPPPCCPMPPE40Enabled: CFString { "CCPMPPE40Enabled" as NSString }
/// The member `CCPMPPE128Enabled` of PPP. Absent on Linux.
public var kSCPropNetPPPCCPMPPE128Enabled: CFString { "CCPMPPE128Enabled" as NSString }
/// The member `IPCPCompressionVJ` of PPP. Absent on Linux.
public var kSCPropNetPPPIPCPCompressionVJ: CFString { "IPCPCompressionVJ" as NSString }
/// The member `IPCPUsePeerDNS` of PPP. Absent on Linux.
public var kSCPropNetPPPIPCPUsePeerDNS: CFString { "IPCPUsePeerDNS" as NSString }
/// The member `LCPEchoEnabled` of PPP. Absent on Linux.
public var kSCPropNetPPPLCPEchoEnabled: CFString { "LCPEchoEnabled" as NSString }
/// The member `LCPEchoFailure` of PPP. Absent on Linux.
public var kSCPropNetPPPLCPEchoFailure: CFString { "LCPEchoFailure" as NSString }
/// The member `LCPEchoInterval` of PPP. Absent on Linux.
public var kSCPropNetPPPLCPEchoInterval: CFString { "LCPEchoInterval" as NSString }
/// The member `LCPCompressionACField` of PPP. Absent on Linux.
public var kSCPropNetPPPLCPCompressionACField: CFString { "LCPCompressionACField" as NSString }
/// The member `LCPCompressionPField` of PPP. Absent on Linux.
public var kSCPropNetPPPLCPCompressionPField: CFString { "LCPCompressionPField" as NSString }
/// The member `LCPMRU` of PPP. Absent on Linux.
public var kSCPropNetPPPLCPMRU: CFString { "LCPMRU" as NSString }
/// The member `LCPMTU` of PPP. Absent on Linux.
public var kSCPropNetPPPLCPMTU: CFString { "LCPMTU" as NSString }
/// The member `LCPReceiveACCM` of PPP. Absent on Linux.
public var kSCPropNetPPPLCPReceiveACCM: CFString { "LCPReceiveACCM" as NSString }
/// The member `LCPTransmitACCM` of PPP. Absent on Linux.
public var kSCPropNetPPPLCPTransmitACCM: CFString { "LCPTransmitACCM" as NSString }

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

/// Whether there is a proxy for Gopher: 1. Absent on Linux.
public var kSCPropNetProxiesGopherEnable: CFString { "GopherEnable" as NSString }

/// The host of the proxy for Gopher: a string. Absent on Linux.
public var kSCPropNetProxiesGopherProxy: CFString { "GopherProxy" as NSString }

/// The port of the proxy for Gopher: a number. Absent on Linux.
public var kSCPropNetProxiesGopherPort: CFString { "GopherPort" as NSString }

/// Whether there is a proxy for RTSP: 1. Absent on Linux.
public var kSCPropNetProxiesRTSPEnable: CFString { "RTSPEnable" as NSString }

/// The host of the proxy for RTSP: a string. Absent on Linux.
public var kSCPropNetProxiesRTSPProxy: CFString { "RTSPProxy" as NSString }

/// The port of the proxy for RTSP: a number. Absent on Linux.
public var kSCPropNetProxiesRTSPPort: CFString { "RTSPPort" as NSString }

/// The hosts that are reached without a proxy: strings.
public var kSCPropNetProxiesExceptionsList: CFString { "ExceptionsList" as NSString }

/// Whether names without dots are reached without a proxy. Absent on Linux.
public var kSCPropNetProxiesExcludeSimpleHostnames: CFString { "ExcludeSimpleHostnames" as NSString }

/// Whether FTP is passive. Absent on Linux.
public var kSCPropNetProxiesFTPPassive: CFString { "FTPPassive" as NSString }

/// Whether a script finds the proxy. Absent on Linux.
public var kSCPropNetProxiesProxyAutoConfigEnable: CFString { "ProxyAutoConfigEnable" as NSString }

/// The address of that script. Absent on Linux.
public var kSCPropNetProxiesProxyAutoConfigURLString: CFString { "ProxyAutoConfigURLString" as NSString }

/// That script. Absent on Linux.
public var kSCPropNetProxiesProxyAutoConfigJavaScript: CFString { "ProxyAutoConfigJavaScript" as NSString }

/// Whether that script is looked for. Absent on Linux.
public var kSCPropNetProxiesProxyAutoDiscoveryEnable: CFString { "ProxyAutoDiscoveryEnable" as NSString }
