// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Values of members (SCSchemaDefinitions.h, configd-1405).

/// A value of `kSCPropNetAirPortJoinMode`.
public var kSCValNetAirPortJoinModeAutomatic: CFString { "Automatic" as NSString }
/// A value of `kSCPropNetAirPortJoinMode`.
public var kSCValNetAirPortJoinModePreferred: CFString { "Preferred" as NSString }
/// A value of `kSCPropNetAirPortJoinMode`.
public var kSCValNetAirPortJoinModeRanked: CFString { "Ranked" as NSString }
/// A value of `kSCPropNetAirPortJoinMode`.
public var kSCValNetAirPortJoinModeRecent: CFString { "Recent" as NSString }
/// A value of `kSCPropNetAirPortJoinMode`.
public var kSCValNetAirPortJoinModeStrongest: CFString { "Strongest" as NSString }
/// A value of `kSCPropNetAirPortAuthPasswordEncryption`.
public var kSCValNetAirPortAuthPasswordEncryptionKeychain: CFString { "Keychain" as NSString }

/// A value of `kSCPropNetInterfaceType`.
public var kSCValNetInterfaceTypeEthernet: CFString { "Ethernet" as NSString }
/// A value of `kSCPropNetInterfaceType`.
public var kSCValNetInterfaceTypeFireWire: CFString { "FireWire" as NSString }
/// A value of `kSCPropNetInterfaceType`.
public var kSCValNetInterfaceTypePPP: CFString { "PPP" as NSString }
/// A value of `kSCPropNetInterfaceType`.
public var kSCValNetInterfaceType6to4: CFString { "6to4" as NSString }
/// A value of `kSCPropNetInterfaceType`.
public var kSCValNetInterfaceTypeIPSec: CFString { "IPSec" as NSString }

/// A value of `kSCPropNetInterfaceSubType`.
public var kSCValNetInterfaceSubTypePPPoE: CFString { "PPPoE" as NSString }
/// A value of `kSCPropNetInterfaceSubType`.
public var kSCValNetInterfaceSubTypePPPSerial: CFString { "PPPSerial" as NSString }
/// A value of `kSCPropNetInterfaceSubType`.
public var kSCValNetInterfaceSubTypePPTP: CFString { "PPTP" as NSString }
/// A value of `kSCPropNetInterfaceSubType`.
public var kSCValNetInterfaceSubTypeL2TP: CFString { "L2TP" as NSString }

/// A value of `kSCPropNetIPSecAuthenticationMethod`.
public var kSCValNetIPSecAuthenticationMethodSharedSecret: CFString { "SharedSecret" as NSString }
/// A value of `kSCPropNetIPSecAuthenticationMethod`.
public var kSCValNetIPSecAuthenticationMethodCertificate: CFString { "Certificate" as NSString }
/// A value of `kSCPropNetIPSecAuthenticationMethod`.
public var kSCValNetIPSecAuthenticationMethodHybrid: CFString { "Hybrid" as NSString }
/// A value of `kSCPropNetIPSecLocalIdentifierType`.
public var kSCValNetIPSecLocalIdentifierTypeKeyID: CFString { "KeyID" as NSString }
/// A value of `kSCPropNetIPSecSharedSecretEncryption`.
public var kSCValNetIPSecSharedSecretEncryptionKeychain: CFString { "Keychain" as NSString }
/// A value of `kSCPropNetIPSecXAuthPasswordEncryption`.
public var kSCValNetIPSecXAuthPasswordEncryptionKeychain: CFString { "Keychain" as NSString }
/// A value of `kSCPropNetIPSecXAuthPasswordEncryption`.
public var kSCValNetIPSecXAuthPasswordEncryptionPrompt: CFString { "Prompt" as NSString }

/// A value of `kSCPropNetIPv4ConfigMethod`.
public var kSCValNetIPv4ConfigMethodAutomatic: CFString { "Automatic" as NSString }
/// A value of `kSCPropNetIPv4ConfigMethod`.
public var kSCValNetIPv4ConfigMethodBOOTP: CFString { "BOOTP" as NSString }
/// A value of `kSCPropNetIPv4ConfigMethod`.
public var kSCValNetIPv4ConfigMethodDHCP: CFString { "DHCP" as NSString }
/// A value of `kSCPropNetIPv4ConfigMethod`.
public var kSCValNetIPv4ConfigMethodINFORM: CFString { "INFORM" as NSString }
/// A value of `kSCPropNetIPv4ConfigMethod`.
public var kSCValNetIPv4ConfigMethodLinkLocal: CFString { "LinkLocal" as NSString }
/// A value of `kSCPropNetIPv4ConfigMethod`.
public var kSCValNetIPv4ConfigMethodManual: CFString { "Manual" as NSString }
/// A value of `kSCPropNetIPv4ConfigMethod`.
public var kSCValNetIPv4ConfigMethodPPP: CFString { "PPP" as NSString }

/// A value of `kSCPropNetIPv6ConfigMethod`.
public var kSCValNetIPv6ConfigMethodAutomatic: CFString { "Automatic" as NSString }
/// A value of `kSCPropNetIPv6ConfigMethod`.
public var kSCValNetIPv6ConfigMethodLinkLocal: CFString { "LinkLocal" as NSString }
/// A value of `kSCPropNetIPv6ConfigMethod`.
public var kSCValNetIPv6ConfigMethodManual: CFString { "Manual" as NSString }
/// A value of `kSCPropNetIPv6ConfigMethod`.
public var kSCValNetIPv6ConfigMethodRouterAdvertisement: CFString { "RouterAdvertisement" as NSString }
/// A value of `kSCPropNetIPv6ConfigMethod`.
public var kSCValNetIPv6ConfigMethod6to4: CFString { "6to4" as NSString }

/// A value of `kSCPropNetL2TPIPSecSharedSecretEncryption`.
public var kSCValNetL2TPIPSecSharedSecretEncryptionKeychain: CFString { "Keychain" as NSString }
/// A value of `kSCPropNetL2TPTransport`.
public var kSCValNetL2TPTransportIP: CFString { "IP" as NSString }
/// A value of `kSCPropNetL2TPTransport`.
public var kSCValNetL2TPTransportIPSec: CFString { "IPSec" as NSString }

/// A value of `kSCPropNetModemDialMode`.
public var kSCValNetModemDialModeIgnoreDialTone: CFString { "IgnoreDialTone" as NSString }
/// A value of `kSCPropNetModemDialMode`.
public var kSCValNetModemDialModeManual: CFString { "Manual" as NSString }
/// A value of `kSCPropNetModemDialMode`.
public var kSCValNetModemDialModeWaitForDialTone: CFString { "WaitForDialTone" as NSString }

/// A value of `kSCPropNetPPPAuthPasswordEncryption`.
public var kSCValNetPPPAuthPasswordEncryptionKeychain: CFString { "Keychain" as NSString }
/// A value of `kSCPropNetPPPAuthPasswordEncryption`.
public var kSCValNetPPPAuthPasswordEncryptionToken: CFString { "Token" as NSString }
/// A value of `kSCPropNetPPPAuthPrompt`.
public var kSCValNetPPPAuthPromptAfter: CFString { "After" as NSString }
/// A value of `kSCPropNetPPPAuthPrompt`.
public var kSCValNetPPPAuthPromptBefore: CFString { "Before" as NSString }
/// A value of `kSCPropNetPPPAuthProtocol`.
public var kSCValNetPPPAuthProtocolCHAP: CFString { "CHAP" as NSString }
/// A value of `kSCPropNetPPPAuthProtocol`.
public var kSCValNetPPPAuthProtocolEAP: CFString { "EAP" as NSString }
/// A value of `kSCPropNetPPPAuthProtocol`.
public var kSCValNetPPPAuthProtocolMSCHAP1: CFString { "MSCHAP1" as NSString }
/// A value of `kSCPropNetPPPAuthProtocol`.
public var kSCValNetPPPAuthProtocolMSCHAP2: CFString { "MSCHAP2" as NSString }
/// A value of `kSCPropNetPPPAuthProtocol`.
public var kSCValNetPPPAuthProtocolPAP: CFString { "PAP" as NSString }

/// A value of `kSCPropNetSMBNetBIOSNodeType`.
public var kSCValNetSMBNetBIOSNodeTypeBroadcast: CFString { "Broadcast" as NSString }
/// A value of `kSCPropNetSMBNetBIOSNodeType`.
public var kSCValNetSMBNetBIOSNodeTypePeer: CFString { "Peer" as NSString }
/// A value of `kSCPropNetSMBNetBIOSNodeType`.
public var kSCValNetSMBNetBIOSNodeTypeMixed: CFString { "Mixed" as NSString }
/// A value of `kSCPropNetSMBNetBIOSNodeType`.
public var kSCValNetSMBNetBIOSNodeTypeHybrid: CFString { "Hybrid" as NSString }

// Parts of keys, and members of preferences and links (SCSchemaDefinitions.h, configd-1405).

/// A member of preferences that leads to another path: a string.
public var kSCResvLink: CFString { "__LINK__" as NSString }
/// A member of preferences that are switched off. Absent on Linux.
public var kSCResvInactive: CFString { "__INACTIVE__" as NSString }

/// The path of the current set: a string.
public var kSCPrefCurrentSet: CFString { "CurrentSet" as NSString }
/// The network services: a dictionary, by identifier.
public var kSCPrefNetworkServices: CFString { "NetworkServices" as NSString }
/// The sets: a dictionary, by identifier.
public var kSCPrefSets: CFString { "Sets" as NSString }
/// What concerns the whole machine: a dictionary.
public var kSCPrefSystem: CFString { "System" as NSString }

/// The part of a key for FireWire. It has no values on Linux.
public var kSCEntNetFireWire: CFString { "FireWire" as NSString }

/// The part of a key for L2TP. It has no values on Linux.
public var kSCEntNetL2TP: CFString { "L2TP" as NSString }

/// The part of a key for Modem. It has no values on Linux.
public var kSCEntNetModem: CFString { "Modem" as NSString }

/// The part of a key for PPPoE. It has no values on Linux.
public var kSCEntNetPPPoE: CFString { "PPPoE" as NSString }
/// The part of a key for PPPSerial. It has no values on Linux.
public var kSCEntNetPPPSerial: CFString { "PPPSerial" as NSString }

/// The part of a key for PPTP. It has no values on Linux.
public var kSCEntNetPPTP: CFString { "PPTP" as NSString }

/// The part of a key for 6to4. It has no values on Linux.
public var kSCEntNet6to4: CFString { "6to4" as NSString }

/// The names of the interfaces. Absent on Linux.
public var kSCPropNetInterfaces: CFString { "Interfaces" as NSString }

/// Whether a PPP service is to be primary. Absent on Linux.
public var kSCPropNetPPPOverridePrimary: CFString { "PPPOverridePrimary" as NSString }

/// The member `AllowNetCreation` of Wi-Fi. Absent on Linux.
public var kSCPropNetAirPortAllowNetCreation: CFString { "AllowNetCreation" as NSString }
/// The member `AuthPassword` of Wi-Fi. Absent on Linux.
public var kSCPropNetAirPortAuthPassword: CFString { "AuthPassword" as NSString }
/// The member `AuthPasswordEncryption` of Wi-Fi. Absent on Linux.
public var kSCPropNetAirPortAuthPasswordEncryption: CFString { "AuthPasswordEncryption" as NSString }
/// The member `JoinMode` of Wi-Fi. Absent on Linux.
public var kSCPropNetAirPortJoinMode: CFString { "JoinMode" as NSString }
/// The member `PowerEnabled` of Wi-Fi. Absent on Linux.
public var kSCPropNetAirPortPowerEnabled: CFString { "PowerEnabled" as NSString }
/// The member `PreferredNetwork` of Wi-Fi. Absent on Linux.
public var kSCPropNetAirPortPreferredNetwork: CFString { "PreferredNetwork" as NSString }
/// The member `SavePasswords` of Wi-Fi. Absent on Linux.
public var kSCPropNetAirPortSavePasswords: CFString { "SavePasswords" as NSString }

/// The member `MediaSubType` of Ethernet. Absent on Linux.
public var kSCPropNetEthernetMediaSubType: CFString { "MediaSubType" as NSString }
/// The member `MediaOptions` of Ethernet. Absent on Linux.
public var kSCPropNetEthernetMediaOptions: CFString { "MediaOptions" as NSString }
/// The member `MTU` of Ethernet. Absent on Linux.
public var kSCPropNetEthernetMTU: CFString { "MTU" as NSString }

/// The member `DeviceName` of the interface of a service: a string.
public var kSCPropNetInterfaceDeviceName: CFString { "DeviceName" as NSString }
/// The member `Hardware` of the interface of a service: a string.
public var kSCPropNetInterfaceHardware: CFString { "Hardware" as NSString }

/// The member `Type` of the interface of a service: a string.
public var kSCPropNetInterfaceType: CFString { "Type" as NSString }

/// The member `SubType` of the interface of a service: a string.
public var kSCPropNetInterfaceSubType: CFString { "SubType" as NSString }

/// The member `SupportsModemOnHold` of the interface of a service. Absent on Linux.
public var kSCPropNetInterfaceSupportsModemOnHold: CFString { "SupportsModemOnHold" as NSString }

/// The member `Relay` of 6to4. Absent on Linux.
public var kSCPropNet6to4Relay: CFString { "Relay" as NSString }

/// The member `NetBIOSName` of SMB. Absent on Linux.
public var kSCPropNetSMBNetBIOSName: CFString { "NetBIOSName" as NSString }
/// The member `NetBIOSNodeType` of SMB. Absent on Linux.
public var kSCPropNetSMBNetBIOSNodeType: CFString { "NetBIOSNodeType" as NSString }
/// The member `NetBIOSScope` of SMB. Absent on Linux.
public var kSCPropNetSMBNetBIOSScope: CFString { "NetBIOSScope" as NSString }
/// The member `WINSAddresses` of SMB. Absent on Linux.
public var kSCPropNetSMBWINSAddresses: CFString { "WINSAddresses" as NSString }
/// The member `Workgroup` of SMB. Absent on Linux.
public var kSCPropNetSMBWorkgroup: CFString { "Workgroup" as NSString }
