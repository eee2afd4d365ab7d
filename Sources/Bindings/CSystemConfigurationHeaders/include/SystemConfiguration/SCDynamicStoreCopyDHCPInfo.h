/* SPDX-License-Identifier: Apache-2.0
 *
 * What a DHCP server said. Linux does not keep that in one place, so there is none: these functions return NULL.
 */
#ifndef SYSTEMCONFIGURATION_SCDYNAMICSTORECOPYDHCPINFO_H
#define SYSTEMCONFIGURATION_SCDYNAMICSTORECOPYDHCPINFO_H

#include <SystemConfiguration/SCDynamicStore.h>

SC_BEGIN_DECLARATIONS

CFDictionaryRef SCDynamicStoreCopyDHCPInfo(SCDynamicStoreRef store, CFStringRef serviceID);
CFDataRef DHCPInfoGetOptionData(CFDictionaryRef info, uint8_t code);
CFDateRef DHCPInfoGetLeaseStartTime(CFDictionaryRef info);
CFDateRef DHCPInfoGetLeaseExpirationTime(CFDictionaryRef info);

SC_END_DECLARATIONS

#endif
