// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: OneVariableDeclarationPerLine

public import CoreFoundation
public import Dispatch
public import Foundation

// Parts of Apple's framework that are not offered on Linux. With these names, the compiler says what to use instead.

/// Preferences on Apple's systems.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public final class SCPreferences: NSObject {}

/// A kind of change of the preferences.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public struct SCPreferencesNotification: OptionSet, Sendable {
    /// The notification as a number.
    public let rawValue: UInt32
    /// Makes a notification from a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The preferences were saved.
    public static let commit = SCPreferencesNotification(rawValue: 1 << 0)
    /// The preferences were applied.
    public static let apply = SCPreferencesNotification(rawValue: 1 << 1)
}

/// The callback for changes.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public typealias SCPreferencesCallBack = (SCPreferences, SCPreferencesNotification, UnsafeMutableRawPointer?) -> Void

/// A client's pointer, and the functions that retain and release it.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public typealias SCPreferencesContext = SCNetworkReachabilityContext

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesGetTypeID() -> CFTypeID { 0 }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesCreate(_ allocator: CFAllocator?, _ name: CFString, _ prefsID: CFString?) -> SCPreferences? {
    nil
}

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesCopyKeyList(_ prefs: SCPreferences) -> CFArray? { nil }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesGetValue(_ prefs: SCPreferences, _ key: CFString) -> CFPropertyList? { nil }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesPathGetValue(_ prefs: SCPreferences, _ path: CFString) -> CFDictionary? { nil }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesGetSignature(_ prefs: SCPreferences) -> CFData? { nil }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesSynchronize(_ prefs: SCPreferences) {}

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesSetCallback(
    _ prefs: SCPreferences, _ callout: SCPreferencesCallBack?, _ context: UnsafeMutablePointer<SCPreferencesContext>?
) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesScheduleWithRunLoop(
    _ prefs: SCPreferences, _ runLoop: CFRunLoop, _ runLoopMode: some CoreFoundationString
) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesUnscheduleFromRunLoop(
    _ prefs: SCPreferences, _ runLoop: CFRunLoop, _ runLoopMode: some CoreFoundationString
) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesSetDispatchQueue(_ prefs: SCPreferences, _ queue: DispatchQueue?) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesLock(_ prefs: SCPreferences, _ wait: Bool) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesUnlock(_ prefs: SCPreferences) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesCommitChanges(_ prefs: SCPreferences) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesApplyChanges(_ prefs: SCPreferences) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesAddValue(_ prefs: SCPreferences, _ key: CFString, _ value: AnyObject) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesSetValue(_ prefs: SCPreferences, _ key: CFString, _ value: AnyObject) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesRemoveValue(_ prefs: SCPreferences, _ key: CFString) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesPathSetValue(_ prefs: SCPreferences, _ path: CFString, _ value: CFDictionary) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesPathSetLink(_ prefs: SCPreferences, _ path: CFString, _ link: CFString) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesPathRemoveValue(_ prefs: SCPreferences, _ path: CFString) -> Bool { false }

/// Not offered.
@available(
    *, unavailable,
    message: "not offered on Linux; ask SCDynamicStore for the present state, and PropertyListSerialization for a file"
)
public func SCPreferencesPathCreateUniqueChild(_ prefs: SCPreferences, _ prefix: CFString) -> CFString? { nil }

/// The names of members and values that no key has on Linux.
@available(*, unavailable, message: "no key has this on Linux; write the string if a file has it")
public let kSCDynamicStoreDomainFile = "", kSCDynamicStoreDomainPlugin = "", kSCDynamicStoreDomainPrefs = "",
    kSCDynamicStorePropNetServiceIDs = "", kSCDynamicStorePropSetupCurrentSet = "",
    kSCDynamicStorePropSetupLastUpdated = "", kSCEntNet6to4 = "", kSCEntNetAirPort = "", kSCEntNetDHCP = "",
    kSCEntNetEthernet = "", kSCEntNetFireWire = "", kSCEntNetIPSec = "", kSCEntNetInterface = "", kSCEntNetL2TP = "",
    kSCEntNetModem = "", kSCEntNetPPP = "", kSCEntNetPPPSerial = "", kSCEntNetPPPoE = "", kSCEntNetPPTP = "",
    kSCEntNetSMB = "", kSCPrefCurrentSet = "", kSCPrefNetworkServices = "", kSCPrefSets = "", kSCPrefSystem = "",
    kSCPropMACAddress = "", kSCPropNet6to4Relay = "", kSCPropNetAirPortAllowNetCreation = "",
    kSCPropNetAirPortAuthPassword = "", kSCPropNetAirPortAuthPasswordEncryption = "", kSCPropNetAirPortJoinMode = "",
    kSCPropNetAirPortPowerEnabled = "", kSCPropNetAirPortPreferredNetwork = "", kSCPropNetAirPortSavePasswords = "",
    kSCPropNetDNSOptions = "", kSCPropNetDNSSearchOrder = "", kSCPropNetDNSServerPort = "",
    kSCPropNetDNSServerTimeout = "", kSCPropNetDNSSortList = "", kSCPropNetDNSSupplementalMatchDomains = "",
    kSCPropNetDNSSupplementalMatchOrders = "", kSCPropNetEthernetMTU = "", kSCPropNetEthernetMediaOptions = "",
    kSCPropNetEthernetMediaSubType = "", kSCPropNetIPSecAuthenticationMethod = "", kSCPropNetIPSecConnectTime = "",
    kSCPropNetIPSecLocalCertificate = "", kSCPropNetIPSecLocalIdentifier = "",
    kSCPropNetIPSecLocalIdentifierType = "", kSCPropNetIPSecRemoteAddress = "", kSCPropNetIPSecSharedSecret = "",
    kSCPropNetIPSecSharedSecretEncryption = "", kSCPropNetIPSecStatus = "", kSCPropNetIPSecXAuthEnabled = "",
    kSCPropNetIPSecXAuthName = "", kSCPropNetIPSecXAuthPassword = "", kSCPropNetIPSecXAuthPasswordEncryption = "",
    kSCPropNetIPv4ConfigMethod = "", kSCPropNetIPv4DHCPClientID = "", kSCPropNetIPv6ConfigMethod = "",
    kSCPropNetInterfaceDeviceName = "", kSCPropNetInterfaceHardware = "", kSCPropNetInterfaceSubType = "",
    kSCPropNetInterfaceSupportsModemOnHold = "", kSCPropNetInterfaceType = "", kSCPropNetInterfaces = "",
    kSCPropNetL2TPIPSecSharedSecret = "", kSCPropNetL2TPIPSecSharedSecretEncryption = "",
    kSCPropNetL2TPTransport = "", kSCPropNetLinkDetaching = "", kSCPropNetModemAccessPointName = "",
    kSCPropNetModemConnectSpeed = "", kSCPropNetModemConnectionPersonality = "", kSCPropNetModemConnectionScript = "",
    kSCPropNetModemDataCompression = "", kSCPropNetModemDeviceContextID = "", kSCPropNetModemDeviceModel = "",
    kSCPropNetModemDeviceVendor = "", kSCPropNetModemDialMode = "", kSCPropNetModemErrorCorrection = "",
    kSCPropNetModemHoldCallWaitingAudibleAlert = "", kSCPropNetModemHoldDisconnectOnAnswer = "",
    kSCPropNetModemHoldEnabled = "", kSCPropNetModemHoldReminder = "", kSCPropNetModemHoldReminderTime = "",
    kSCPropNetModemNote = "", kSCPropNetModemPulseDial = "", kSCPropNetModemSpeaker = "", kSCPropNetModemSpeed = "",
    kSCPropNetOverridePrimary = "", kSCPropNetPPPACSPEnabled = "", kSCPropNetPPPAuthEAPPlugins = "",
    kSCPropNetPPPAuthName = "", kSCPropNetPPPAuthPassword = "", kSCPropNetPPPAuthPasswordEncryption = "",
    kSCPropNetPPPAuthPrompt = "", kSCPropNetPPPAuthProtocol = "", kSCPropNetPPPCCPEnabled = "",
    kSCPropNetPPPCCPMPPE128Enabled = "", kSCPropNetPPPCCPMPPE40Enabled = "",
    kSCPropNetPPPCommAlternateRemoteAddress = "", kSCPropNetPPPCommConnectDelay = "",
    kSCPropNetPPPCommDisplayTerminalWindow = "", kSCPropNetPPPCommRedialCount = "",
    kSCPropNetPPPCommRedialEnabled = "", kSCPropNetPPPCommRedialInterval = "", kSCPropNetPPPCommRemoteAddress = "",
    kSCPropNetPPPCommTerminalScript = "", kSCPropNetPPPCommUseTerminalScript = "", kSCPropNetPPPConnectTime = "",
    kSCPropNetPPPDeviceLastCause = "", kSCPropNetPPPDialOnDemand = "", kSCPropNetPPPDisconnectOnFastUserSwitch = "",
    kSCPropNetPPPDisconnectOnIdle = "", kSCPropNetPPPDisconnectOnIdleTimer = "", kSCPropNetPPPDisconnectOnLogout = "",
    kSCPropNetPPPDisconnectOnSleep = "", kSCPropNetPPPDisconnectTime = "", kSCPropNetPPPIPCPCompressionVJ = "",
    kSCPropNetPPPIPCPUsePeerDNS = "", kSCPropNetPPPIdleReminder = "", kSCPropNetPPPIdleReminderTimer = "",
    kSCPropNetPPPLCPCompressionACField = "", kSCPropNetPPPLCPCompressionPField = "", kSCPropNetPPPLCPEchoEnabled = "",
    kSCPropNetPPPLCPEchoFailure = "", kSCPropNetPPPLCPEchoInterval = "", kSCPropNetPPPLCPMRU = "",
    kSCPropNetPPPLCPMTU = "", kSCPropNetPPPLCPReceiveACCM = "", kSCPropNetPPPLCPTransmitACCM = "",
    kSCPropNetPPPLastCause = "", kSCPropNetPPPLogfile = "", kSCPropNetPPPOverridePrimary = "",
    kSCPropNetPPPPlugins = "", kSCPropNetPPPRetryConnectTime = "", kSCPropNetPPPSessionTimer = "",
    kSCPropNetPPPStatus = "", kSCPropNetPPPUseSessionTimer = "", kSCPropNetPPPVerboseLogging = "",
    kSCPropNetProxiesGopherEnable = "", kSCPropNetProxiesGopherPort = "", kSCPropNetProxiesGopherProxy = "",
    kSCPropNetProxiesProxyAutoConfigJavaScript = "", kSCPropNetProxiesRTSPEnable = "", kSCPropNetProxiesRTSPPort = "",
    kSCPropNetProxiesRTSPProxy = "", kSCPropNetSMBNetBIOSName = "", kSCPropNetSMBNetBIOSNodeType = "",
    kSCPropNetSMBNetBIOSScope = "", kSCPropNetSMBWINSAddresses = "", kSCPropNetSMBWorkgroup = "",
    kSCPropNetServiceOrder = "", kSCPropUserDefinedName = "", kSCPropVersion = "", kSCResvInactive = "",
    kSCResvLink = "", kSCValNetAirPortAuthPasswordEncryptionKeychain = "", kSCValNetAirPortJoinModeAutomatic = "",
    kSCValNetAirPortJoinModePreferred = "", kSCValNetAirPortJoinModeRanked = "", kSCValNetAirPortJoinModeRecent = "",
    kSCValNetAirPortJoinModeStrongest = "", kSCValNetIPSecAuthenticationMethodCertificate = "",
    kSCValNetIPSecAuthenticationMethodHybrid = "", kSCValNetIPSecAuthenticationMethodSharedSecret = "",
    kSCValNetIPSecLocalIdentifierTypeKeyID = "", kSCValNetIPSecSharedSecretEncryptionKeychain = "",
    kSCValNetIPSecXAuthPasswordEncryptionKeychain = "", kSCValNetIPSecXAuthPasswordEncryptionPrompt = "",
    kSCValNetIPv4ConfigMethodAutomatic = "", kSCValNetIPv4ConfigMethodBOOTP = "", kSCValNetIPv4ConfigMethodDHCP = "",
    kSCValNetIPv4ConfigMethodINFORM = "", kSCValNetIPv4ConfigMethodLinkLocal = "",
    kSCValNetIPv4ConfigMethodManual = "", kSCValNetIPv4ConfigMethodPPP = "", kSCValNetIPv6ConfigMethod6to4 = "",
    kSCValNetIPv6ConfigMethodAutomatic = "", kSCValNetIPv6ConfigMethodLinkLocal = "",
    kSCValNetIPv6ConfigMethodManual = "", kSCValNetIPv6ConfigMethodRouterAdvertisement = "",
    kSCValNetInterfaceSubTypeL2TP = "", kSCValNetInterfaceSubTypePPPSerial = "", kSCValNetInterfaceSubTypePPPoE = "",
    kSCValNetInterfaceSubTypePPTP = "", kSCValNetInterfaceType6to4 = "", kSCValNetInterfaceTypeEthernet = "",
    kSCValNetInterfaceTypeFireWire = "", kSCValNetInterfaceTypeIPSec = "", kSCValNetInterfaceTypePPP = "",
    kSCValNetL2TPIPSecSharedSecretEncryptionKeychain = "", kSCValNetL2TPTransportIP = "",
    kSCValNetL2TPTransportIPSec = "", kSCValNetModemDialModeIgnoreDialTone = "", kSCValNetModemDialModeManual = "",
    kSCValNetModemDialModeWaitForDialTone = "", kSCValNetPPPAuthPasswordEncryptionKeychain = "",
    kSCValNetPPPAuthPasswordEncryptionToken = "", kSCValNetPPPAuthPromptAfter = "", kSCValNetPPPAuthPromptBefore = "",
    kSCValNetPPPAuthProtocolCHAP = "", kSCValNetPPPAuthProtocolEAP = "", kSCValNetPPPAuthProtocolMSCHAP1 = "",
    kSCValNetPPPAuthProtocolMSCHAP2 = "", kSCValNetPPPAuthProtocolPAP = "", kSCValNetSMBNetBIOSNodeTypeBroadcast = "",
    kSCValNetSMBNetBIOSNodeTypeHybrid = "", kSCValNetSMBNetBIOSNodeTypeMixed = "",
    kSCValNetSMBNetBIOSNodeTypePeer = ""
