/* SPDX-License-Identifier: Apache-2.0
 *
 * The network interfaces. Of Apple's header only these functions are offered: Linux has no services, sets or protocols that
 * one configures in this way.
 */
#ifndef SYSTEMCONFIGURATION_SCNETWORKCONFIGURATION_H
#define SYSTEMCONFIGURATION_SCNETWORKCONFIGURATION_H

#include <SystemConfiguration/SCBase.h>

SC_BEGIN_DECLARATIONS

#define kSCNetworkInterfaceType6to4 CFSTR("6to4")
#define kSCNetworkInterfaceTypeBluetooth CFSTR("Bluetooth")
#define kSCNetworkInterfaceTypeBond CFSTR("Bond")
#define kSCNetworkInterfaceTypeEthernet CFSTR("Ethernet")
#define kSCNetworkInterfaceTypeFireWire CFSTR("FireWire")
#define kSCNetworkInterfaceTypeIEEE80211 CFSTR("IEEE80211")
#define kSCNetworkInterfaceTypeIPSec CFSTR("IPSec")
#define kSCNetworkInterfaceTypeIrDA CFSTR("IrDA")
#define kSCNetworkInterfaceTypeL2TP CFSTR("L2TP")
#define kSCNetworkInterfaceTypeModem CFSTR("Modem")
#define kSCNetworkInterfaceTypePPP CFSTR("PPP")
#define kSCNetworkInterfaceTypePPTP CFSTR("PPTP")
#define kSCNetworkInterfaceTypeSerial CFSTR("Serial")
#define kSCNetworkInterfaceTypeVLAN CFSTR("VLAN")
#define kSCNetworkInterfaceTypeWWAN CFSTR("WWAN")
#define kSCNetworkInterfaceTypeIPv4 CFSTR("IPv4")
#define kSCNetworkProtocolTypeDNS CFSTR("DNS")
#define kSCNetworkProtocolTypeIPv4 CFSTR("IPv4")
#define kSCNetworkProtocolTypeIPv6 CFSTR("IPv6")
#define kSCNetworkProtocolTypeProxies CFSTR("Proxies")
#define kSCNetworkProtocolTypeSMB CFSTR("SMB")

CFTypeID SCNetworkInterfaceGetTypeID(void);

/* Returns the interfaces, which the caller releases: all that have one of the types above. Loopback has none, and neither do
 * tunnels of other kinds. */
CFArrayRef SCNetworkInterfaceCopyAll(void);

/* The results belong to the interface. NULL means that there is none. */
CFStringRef SCNetworkInterfaceGetBSDName(SCNetworkInterfaceRef interface);
CFStringRef SCNetworkInterfaceGetInterfaceType(SCNetworkInterfaceRef interface);
CFStringRef SCNetworkInterfaceGetLocalizedDisplayName(SCNetworkInterfaceRef interface);
CFStringRef SCNetworkInterfaceGetHardwareAddressString(SCNetworkInterfaceRef interface);
CFArrayRef SCNetworkInterfaceGetSupportedProtocolTypes(SCNetworkInterfaceRef interface);
SCNetworkInterfaceRef SCNetworkInterfaceGetInterface(SCNetworkInterfaceRef interface); /* NULL */

/* What holds now. Each pointer may be NULL. The limits are -1 where the driver names none. False if the interface is gone. */
Boolean SCNetworkInterfaceCopyMTU(SCNetworkInterfaceRef interface, int *mtu_cur, int *mtu_min, int *mtu_max);

/* Cannot be done on Linux in one way: false, and SCError() is kSCStatusAccessError. */
Boolean SCNetworkInterfaceForceConfigurationRefresh(SCNetworkInterfaceRef interface);

SC_END_DECLARATIONS

#endif
