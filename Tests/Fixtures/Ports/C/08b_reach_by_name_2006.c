/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 08b_reach_by_name_2006: "is it worth trying to connect", as written for
 * Mac OS X 10.3, with the run loop and the flag names of SCNetwork.h.
 *
 * Usage:    08b_reach_by_name_2006 host [seconds]
 * Expected: 08b_reach_by_name_2006 localhost
 *           localhost: reachable
 *           pair 192.0.2.10 -> 192.0.2.1: reachable
 * With seconds, address removed or cable pulled, and a remote host name:
 *           www.example.test: reachable
 *           ...
 *           www.example.test: not reachable
 * (localhost stays reachable; the pair is "not reachable" at a fresh start)
 */
#include <CoreFoundation/CoreFoundation.h>
#include <SystemConfiguration/SystemConfiguration.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static Boolean Usable(SCNetworkConnectionFlags flags)
{
    Boolean reachable  = (flags & kSCNetworkFlagsReachable) != 0;
    Boolean needsDial  = (flags & kSCNetworkFlagsConnectionRequired) != 0;
    Boolean automatic  = (flags & kSCNetworkFlagsConnectionAutomatic) != 0;

    return reachable && (!needsDial || automatic);
}

static void Changed(SCNetworkReachabilityRef target, SCNetworkConnectionFlags flags, void *info)
{
    printf("%s: %s\n", (char *) info, Usable(flags) ? "reachable" : "not reachable");
    fflush(stdout);
}

static struct sockaddr_in Address(const char *text)
{
    struct sockaddr_in sin;

    memset(&sin, 0, sizeof(sin));
#ifdef __APPLE__
    sin.sin_len = sizeof(sin);
#endif
    sin.sin_family = AF_INET;
    inet_aton(text, &sin.sin_addr);
    return sin;
}

int main(int argc, char **argv)
{
    SCNetworkReachabilityRef     target, pair;
    SCNetworkReachabilityContext context;
    SCNetworkConnectionFlags     flags;
    struct sockaddr_in           local = Address("192.0.2.10");
    struct sockaddr_in           remote = Address("192.0.2.1");

    if (argc < 2) {
        fprintf(stderr, "usage: %s host [seconds]\n", argv[0]);
        return 64;
    }

    target = SCNetworkReachabilityCreateWithName(NULL, argv[1]);
    if (target == NULL || !SCNetworkReachabilityGetFlags(target, &flags)) {
        printf("%s: %s\n", argv[1], SCErrorString(SCError()));
        return 1;
    }
    printf("%s: %s\n", argv[1], Usable(flags) ? "reachable" : "not reachable");

    pair = SCNetworkReachabilityCreateWithAddressPair(NULL,
        (struct sockaddr *) &local, (struct sockaddr *) &remote);
    if (pair != NULL) {
        if (SCNetworkReachabilityGetFlags(pair, &flags))
            printf("pair 192.0.2.10 -> 192.0.2.1: %s\n", Usable(flags) ? "reachable" : "not reachable");
        CFRelease(pair);
    }

    if (argc > 2) {
        memset(&context, 0, sizeof(context));
        context.info = argv[1];
        if (!SCNetworkReachabilitySetCallback(target, Changed, &context) ||
            !SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), kCFRunLoopDefaultMode)) {
            printf("cannot schedule: %s\n", SCErrorString(SCError()));
            return 1;
        }
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, strtod(argv[2], NULL), false);
        SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), kCFRunLoopDefaultMode);
        SCNetworkReachabilitySetCallback(target, NULL, NULL);
    }
    CFRelease(target);
    return 0;
}
