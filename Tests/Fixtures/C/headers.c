/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles with one header of the framework alone, which the build names as HEADER, as sources for Apple's systems do.
 */
#include HEADER

#ifdef IS_REACHABILITY
/* SCNetworkReachability.h includes SCNetwork.h, and that the addresses of sockets. */
static SCNetworkConnectionFlags older(const struct sockaddr *address) {
    SCNetworkConnectionFlags flags = 0;
    if (SCNetworkInterfaceRefreshConfiguration(NULL)) return 0;
    if (address->sa_family != AF_INET && SCNetworkCheckReachabilityByAddress(address, sizeof *address, &flags)) return 0;
    return flags & kSCNetworkFlagsReachable;
}
#endif

int main(void) {
#ifdef IS_REACHABILITY
    struct sockaddr address = {.sa_family = AF_INET};
    return (int)older(&address);
#else
    return 0;
#endif
}
