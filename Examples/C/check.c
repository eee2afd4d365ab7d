/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks once for each argument:
 *     cc check.c $(pkg-config --cflags --libs CSystemConfiguration) -o check && ./check 192.0.2.1 www.swift.org
 */
#include <SystemConfiguration/SystemConfiguration.h>
#include <stdio.h>

int main(int count, char **names) {
    int status = 0;
    for (int i = 1; i < count; i++) {
        SCNetworkReachabilityRef target = SCNetworkReachabilityCreateWithName(NULL, names[i]);
        SCNetworkReachabilityFlags flags = 0;
        if (!target || !SCNetworkReachabilityGetFlags(target, &flags)) {
            fprintf(stderr, "%s: %s\n", names[i], SCErrorString(SCError()));
            status = 2;
        } else {
            int reachable = (flags & kSCNetworkReachabilityFlagsReachable)
                && !(flags & kSCNetworkReachabilityFlagsConnectionRequired);
            printf("%s: %s (0x%08x)\n", names[i], reachable ? "reachable" : "not reachable", (unsigned)flags);
            if (!reachable && status == 0) status = 1;
        }
        SCNetworkReachabilityRelease(target);
    }
    return status;
}
