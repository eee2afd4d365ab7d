/* SPDX-License-Identifier: Apache-2.0
 *
 * The older functions.
 */
#ifndef SYSTEMCONFIGURATION_SCNETWORK_H
#define SYSTEMCONFIGURATION_SCNETWORK_H

#include <SystemConfiguration/SCBase.h>

SC_BEGIN_DECLARATIONS

typedef uint32_t SCNetworkConnectionFlags;

enum {
    kSCNetworkFlagsTransientConnection = 1 << 0,
    kSCNetworkFlagsReachable = 1 << 1,
    kSCNetworkFlagsConnectionRequired = 1 << 2,
    kSCNetworkFlagsConnectionAutomatic = 1 << 3,
    kSCNetworkFlagsInterventionRequired = 1 << 4,
    kSCNetworkFlagsIsLocalAddress = 1 << 16,
    kSCNetworkFlagsIsDirect = 1 << 17
};

/* Make a target for one call and return its flags. An address that is too short for its family is refused. */
Boolean SCNetworkCheckReachabilityByAddress(
    const struct sockaddr *address, unsigned int addrlen, SCNetworkConnectionFlags *flags);
Boolean SCNetworkCheckReachabilityByName(const char *nodename, SCNetworkConnectionFlags *flags);

SC_END_DECLARATIONS

#endif
