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
