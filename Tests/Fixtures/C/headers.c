/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles with one header of the framework alone, which the build names as HEADER, as sources for Apple's systems do.
 * SCNetworkReachability.h includes SCNetwork.h, and that the addresses of sockets.
 */
#include HEADER

int main(void) {
    struct sockaddr address = {.sa_family = AF_INET};
    SCNetworkConnectionFlags flags = 0;
    return SCNetworkCheckReachabilityByAddress(&address, sizeof address, &flags) && (flags & kSCNetworkFlagsReachable);
}
