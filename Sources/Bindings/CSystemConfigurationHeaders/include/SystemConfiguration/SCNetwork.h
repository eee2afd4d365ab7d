/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that came before SCNetworkReachability. Each of them asks once.
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

/* Gets the present flags for an IPv4 or IPv6 address of `addrlen` bytes. Returns true if they are known, also if the address is
 * not reachable. Returns false if an argument is invalid, for instance because the address is too short for its family, or if the
 * kernel could not be queried; SCError() says which. Any thread may call this. */
Boolean SCNetworkCheckReachabilityByAddress(
    const struct sockaddr *address, unsigned int addrlen, SCNetworkConnectionFlags *flags);
/* The same for a host name, or an address written as text. A name is resolved, which blocks for up to five seconds. */
Boolean SCNetworkCheckReachabilityByName(const char *nodename, SCNetworkConnectionFlags *flags);

SC_END_DECLARATIONS

#endif
