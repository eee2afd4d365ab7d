/* SPDX-License-Identifier: Apache-2.0
 *
 * Gets callbacks on a dispatch queue. For programs that use libdispatch, here that of the Swift toolchain:
 *     S=/opt/swift/usr/lib/swift
 *     clang -fblocks -isystem $S queue.c $(pkg-config --cflags --libs CSystemConfiguration) \
 *         -L$S/linux -ldispatch -lBlocksRuntime -Wl,-rpath,$S/linux -o queue && ./queue www.swift.org
 * A second argument is the number of changes after which it stops.
 */
#include <dispatch/dispatch.h>
#include <SystemConfiguration/SystemConfiguration.h>
#include <stdio.h>
#include <stdlib.h>

struct watch {
    const char *name;
    int remaining;
};

static void changed(SCNetworkReachabilityRef target, SCNetworkReachabilityFlags flags, void *info) {
    struct watch *watch = (struct watch *)info;
    printf("%s: 0x%08x\n", watch->name, (unsigned)flags);
    fflush(stdout);
    if (--watch->remaining == 0) {
        SCNetworkReachabilitySetCallback(target, NULL, NULL);
        SCNetworkReachabilitySetDispatchQueue(target, NULL);
        exit(0);
    }
}

int main(int count, char **arguments) {
    if (count < 2) return 64;
    /* Not on the stack, because dispatch_main ends the thread that calls it. */
    static struct watch watch;
    watch.name = arguments[1];
    watch.remaining = count > 2 ? atoi(arguments[2]) : -1;
    SCNetworkReachabilityContext context = {0, &watch, NULL, NULL, NULL};
    SCNetworkReachabilityRef target = SCNetworkReachabilityCreateWithName(NULL, arguments[1]);
    if (!target || !SCNetworkReachabilitySetCallback(target, changed, &context)
        || !SCNetworkReachabilitySetDispatchQueue(target, dispatch_get_main_queue())) {
        fprintf(stderr, "%s: %s\n", arguments[1], SCErrorString(SCError()));
        return 2;
    }
    dispatch_main();
}
