/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells whether a host can be reached, and calls back when that changes.
 *
 * Functions of the type Boolean return false if they fail; SCError() then says why. Any thread may call any of these functions,
 * with the same target, too.
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

/* A pointer that is passed to the callback, and functions that retain and release it, which may be NULL. `retain` is called once
 * when the context is set, and `release` once when the context has been replaced or its target freed, and its callback is not
 * running. */
typedef struct {
    CFIndex version; /* 0 */
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info); /* never called */
} SCNetworkReachabilityContext;

/* Receives the new flags of a target, on the run loop, the queue or the thread on which the target is scheduled. Only one call
 * for a target runs at a time. */
typedef void (*SCNetworkReachabilityCallBack)(
    SCNetworkReachabilityRef target, SCNetworkReachabilityFlags flags, void *info);

/*
 * These three functions create a target, which the caller releases. If an argument is invalid, they return NULL, and SCError()
 * says why. The allocator is ignored. The arguments may be freed as soon as the functions return.
 *
 * An address is read according to its family: 16 bytes for AF_INET, 28 bytes for AF_INET6. Of the two addresses of a pair, one
 * may be NULL. A name may also be an address written as text. It is not resolved yet. 0.0.0.0 and :: stand for the default route.
 */
SCNetworkReachabilityRef SCNetworkReachabilityCreateWithAddress(
    CFAllocatorRef allocator, const struct sockaddr *address);
SCNetworkReachabilityRef SCNetworkReachabilityCreateWithAddressPair(
    CFAllocatorRef allocator, const struct sockaddr *localAddress, const struct sockaddr *remoteAddress);
SCNetworkReachabilityRef SCNetworkReachabilityCreateWithName(CFAllocatorRef allocator, const char *nodename);

/* Returns the CoreFoundation type of targets. */
CFTypeID SCNetworkReachabilityGetTypeID(void);

/* Gets the present flags. If the target is not reachable, this succeeds and the flags are 0. It fails if the kernel could not be
 * queried. If the target is a name that is not scheduled, this resolves it, which blocks for up to five seconds. A name that is
 * scheduled has the flags of the default route until it is resolved. */
Boolean SCNetworkReachabilityGetFlags(SCNetworkReachabilityRef target, SCNetworkReachabilityFlags *flags);

/* Returns the index of the interface by which packets to the target leave. Returns -1 if the target is not reachable, if a
 * connection has to be established first, or if the interface is not known. It blocks like SCNetworkReachabilityGetFlags. */
int SCNetworkReachabilityGetInterfaceIndex(SCNetworkReachabilityRef target);

/* Sets the function that is called when the flags change, before or after the target is scheduled. NULL ends the callbacks. For a
 * name, the function is also called when the name is first resolved. The context is copied. This fails only if `target` is not a
 * target. */
Boolean SCNetworkReachabilitySetCallback(
    SCNetworkReachabilityRef target, SCNetworkReachabilityCallBack callout, SCNetworkReachabilityContext *context);

/*
 * These two functions schedule a target on a run loop, and unschedule it. The run loop is one of the CoreFoundation that the
 * program has loaded. A target can be scheduled on several run loops and modes, but not on a run loop and a queue at the same
 * time.
 *
 * However a target is scheduled, it stays alive, and its callbacks go on, until it has been unscheduled everywhere. If it is
 * unscheduled on the thread or the serial queue of its callbacks, none of them begins after the function has returned.
 */
Boolean SCNetworkReachabilityScheduleWithRunLoop(
    SCNetworkReachabilityRef target, CFRunLoopRef runLoop, CFStringRef runLoopMode);
Boolean SCNetworkReachabilityUnscheduleFromRunLoop(
    SCNetworkReachabilityRef target, CFRunLoopRef runLoop, CFStringRef runLoopMode);

/* Schedules a target on a queue of the libdispatch that the program has loaded, or unschedules it if `queue` is NULL. This fails
 * if the target is scheduled already, or, with NULL, if it is not scheduled on a queue. */
Boolean SCNetworkReachabilitySetDispatchQueue(SCNetworkReachabilityRef target, dispatch_queue_t queue);

/* These two functions are not Apple's. They are for programs that have neither run loops nor queues: the library makes the
 * callbacks of all targets on one thread of its own, one at a time. Unscheduling on another thread does not wait for a callback
 * that is running. */
Boolean SCNetworkReachabilityScheduleOnThread(SCNetworkReachabilityRef target);
Boolean SCNetworkReachabilityUnscheduleFromThread(SCNetworkReachabilityRef target);

/* These two functions are not Apple's. They do the same as CFRetain and CFRelease, for programs without CoreFoundation. NULL is
 * ignored. */
SCNetworkReachabilityRef SCNetworkReachabilityRetain(SCNetworkReachabilityRef target);
void SCNetworkReachabilityRelease(SCNetworkReachabilityRef target);

SC_END_DECLARATIONS

#endif
