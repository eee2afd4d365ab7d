/* SPDX-License-Identifier: Apache-2.0
 *
 * Does not release what it created, so that a leak checker must report it.
 */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include <SystemConfiguration/SCWithoutCoreFoundation.h>

static void create_and_forget(void) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    SCNetworkReachabilityCreateWithAddress(NULL, (const struct sockaddr *)&address);
}

int main(void) {
    for (int i = 0; i < 10; i++) create_and_forget();
    return 0;
}
