/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a host can be reached, and callbacks when that changes.
 */
#ifndef SYSTEMCONFIGURATION_SCNETWORKREACHABILITY_H
#define SYSTEMCONFIGURATION_SCNETWORKREACHABILITY_H

#include <SystemConfiguration/SCBase.h>
#include <SystemConfiguration/SCNetwork.h>

SC_BEGIN_DECLARATIONS

typedef uint32_t SCNetworkReachabilityFlags;

enum {
    kSCNetworkReachabilityFlagsTransientConnection = 1 << 0,
    kSCNetworkReachabilityFlagsReachable = 1 << 1,
    kSCNetworkReachabilityFlagsConnectionRequired = 1 << 2,
    kSCNetworkReachabilityFlagsConnectionOnTraffic = 1 << 3,
    kSCNetworkReachabilityFlagsInterventionRequired = 1 << 4, /* never set on Linux */
    kSCNetworkReachabilityFlagsConnectionOnDemand = 1 << 5,   /* never set on Linux */
    kSCNetworkReachabilityFlagsIsLocalAddress = 1 << 16,
    kSCNetworkReachabilityFlagsIsDirect = 1 << 17,
    kSCNetworkReachabilityFlagsIsWWAN = 1 << 18,
    kSCNetworkReachabilityFlagsConnectionAutomatic = kSCNetworkReachabilityFlagsConnectionOnTraffic
};

/* The client's pointer, and the functions that retain and release it. `release` is called once for each context. */
typedef struct {
    CFIndex version; /* 0 */
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info); /* never called */
} SCNetworkReachabilityContext;

typedef void (*SCNetworkReachabilityCallBack)(
    SCNetworkReachabilityRef target, SCNetworkReachabilityFlags flags, void *info);

/* Make a target. They return NULL if an argument is invalid; SCError() says why. The allocator is ignored. The length of
 * an address is that of its family: 16 bytes, or 28 for IPv6. */
SCNetworkReachabilityRef SCNetworkReachabilityCreateWithAddress(
    CFAllocatorRef allocator, const struct sockaddr *address);
SCNetworkReachabilityRef SCNetworkReachabilityCreateWithAddressPair(
    CFAllocatorRef allocator, const struct sockaddr *localAddress, const struct sockaddr *remoteAddress);
SCNetworkReachabilityRef SCNetworkReachabilityCreateWithName(CFAllocatorRef allocator, const char *nodename);

CFTypeID SCNetworkReachabilityGetTypeID(void);

/* Returns the present flags. A name that is not scheduled is resolved, which takes up to five seconds. Returns false if
 * the kernel could not be asked. "Not reachable" is true with no flags. */
Boolean SCNetworkReachabilityGetFlags(SCNetworkReachabilityRef target, SCNetworkReachabilityFlags *flags);

/* The number of the interface of the route, or -1 if the target is not reachable. */
int SCNetworkReachabilityGetInterfaceIndex(SCNetworkReachabilityRef target);

/* Sets the callback for changes, before or after scheduling. Returns true for every target. */
Boolean SCNetworkReachabilitySetCallback(
    SCNetworkReachabilityRef target, SCNetworkReachabilityCallBack callout, SCNetworkReachabilityContext *context);

/* Schedule on a run loop of the CoreFoundation that the program has loaded. */
Boolean SCNetworkReachabilityScheduleWithRunLoop(
    SCNetworkReachabilityRef target, CFRunLoopRef runLoop, CFStringRef runLoopMode);
Boolean SCNetworkReachabilityUnscheduleFromRunLoop(
    SCNetworkReachabilityRef target, CFRunLoopRef runLoop, CFStringRef runLoopMode);

/* Schedules on a queue of the libdispatch that the program has loaded. NULL unschedules. */
Boolean SCNetworkReachabilitySetDispatchQueue(SCNetworkReachabilityRef target, dispatch_queue_t queue);

/* Not Apple's: for programs with neither run loops nor queues. Callbacks of all targets run on one thread of the
 * library, one at a time. Unscheduling from another thread does not wait for a running callback. */
Boolean SCNetworkReachabilityScheduleOnThread(SCNetworkReachabilityRef target);
Boolean SCNetworkReachabilityUnscheduleFromThread(SCNetworkReachabilityRef target);

/* Not Apple's: for programs without CoreFoundation. The same as CFRetain and CFRelease. NULL is ignored. */
SCNetworkReachabilityRef SCNetworkReachabilityRetain(SCNetworkReachabilityRef target);
void SCNetworkReachabilityRelease(SCNetworkReachabilityRef target);

SC_END_DECLARATIONS

#endif
