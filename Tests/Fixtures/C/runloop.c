/* SPDX-License-Identifier: Apache-2.0
 *
 * A client with CoreFoundation: run loops, CFRetain and CFRelease, and errors as objects.
 */
#include <CoreFoundation/CoreFoundation.h>
#include <SystemConfiguration/SystemConfiguration.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static int released;

static void release(const void *info) {
    (void)info;
    released++;
}

static void changed(SCNetworkReachabilityRef target, SCNetworkReachabilityFlags flags, void *info) {
    *(SCNetworkReachabilityFlags *)info = flags;
    SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), kCFRunLoopDefaultMode);
    CFRunLoopStop(CFRunLoopGetCurrent());
}

int main(void) {
    SCNetworkReachabilityFlags flags = 0;
    SCNetworkReachabilityContext context = {0, &flags, NULL, release, NULL};
    SCNetworkReachabilityRef target = SCNetworkReachabilityCreateWithName(kCFAllocatorDefault, "localhost");
    CHECK(target);
    CHECK(SCNetworkReachabilitySetCallback(target, changed, &context));
    CHECK(SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), kCFRunLoopDefaultMode));
    CHECK(!SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), CFSTR("another")));
    CHECK(SCError() == kSCStatusInvalidArgument);
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 60, false);
    CHECK(flags == 0x30002);
    CHECK(!SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), kCFRunLoopDefaultMode));
    CHECK(released == 0);
    CFRetain(target);
    CFRelease(target);
    CHECK(released == 0);
    CFRelease(target);
    CHECK(released == 1);

    CHECK(!SCNetworkReachabilityGetFlags(NULL, &flags));
    CFErrorRef error = SCCopyLastError();
    CHECK(error && CFErrorGetCode(error) == kSCStatusInvalidArgument);
    CHECK(CFEqual(CFErrorGetDomain(error), CFSTR("com.apple.SystemConfiguration")));
    CFStringRef description = CFErrorCopyDescription(error);
    char words[64];
    CHECK(CFStringGetCString(description, words, sizeof words, kCFStringEncodingUTF8));
    CHECK(strcmp(words, SCErrorString(SCError())) == 0);
    CFRelease(description);
    CFRelease(error);
    puts("ok");
    return 0;
}
