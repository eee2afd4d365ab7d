/* SPDX-License-Identifier: Apache-2.0
 *
 * The Wi-Fi interfaces, and their networks. Linux has no captive network assistant.
 */
#ifndef SYSTEMCONFIGURATION_CAPTIVENETWORK_H
#define SYSTEMCONFIGURATION_CAPTIVENETWORK_H

#include <SystemConfiguration/SCBase.h>

SC_BEGIN_DECLARATIONS

#define kCNNetworkInfoKeySSID CFSTR("SSID")
#define kCNNetworkInfoKeySSIDData CFSTR("SSIDDATA")
#define kCNNetworkInfoKeyBSSID CFSTR("BSSID")

/* The names of the Wi-Fi interfaces. NULL if there are none (kSCStatusNoKey). The caller releases the result. */
CFArrayRef CNCopySupportedInterfaces(void);

/* The network of a Wi-Fi interface. NULL if it is in none, or if the system does not tell. The caller releases the result. */
CFDictionaryRef CNCopyCurrentNetworkInfo(CFStringRef interfaceName);

SC_END_DECLARATIONS

#endif
