/* SPDX-License-Identifier: Apache-2.0
 *
 * Treats targets as objects of CoreFoundation, and passes other objects for them.
 */
#include <CoreFoundation/CoreFoundation.h>
#include <SystemConfiguration/SystemConfiguration.h>
#include <stdio.h>

#include "check.h"

static Boolean refused(Boolean outcome) {
    return !outcome && SCError() == kSCStatusInvalidArgument;
}

static void foreign(CFTypeRef object) {
    SCNetworkReachabilityRef target = object;
    SCNetworkReachabilityFlags flags;
    CHECK(refused(SCNetworkReachabilityGetFlags(target, &flags)));
    CHECK(refused(SCNetworkReachabilityGetInterfaceIndex(target) != -1));
    CHECK(refused(SCNetworkReachabilitySetCallback(target, NULL, NULL)));
    CHECK(refused(SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), kCFRunLoopDefaultMode)));
    CHECK(refused(SCNetworkReachabilitySetDispatchQueue(target, NULL)));
}

static void objects(void) {
    SCNetworkReachabilityRef target = SCNetworkReachabilityCreateWithName(NULL, "127.0.0.1");
    SCNetworkReachabilityRef other = SCNetworkReachabilityCreateWithName(NULL, "127.0.0.1");
    CHECK(target && other);
    CHECK(CFGetTypeID(target) == SCNetworkReachabilityGetTypeID());
    CHECK(CFGetTypeID(target) != CFStringGetTypeID());
    CHECK(CFEqual(target, target) && !CFEqual(target, other) && !CFEqual(target, CFSTR("x")));
    CHECK(CFHash(target) == CFHash(target) && CFHash(target) != CFHash(other));

    CFStringRef description = CFCopyDescription(target);
    CHECK(description && CFStringHasPrefix(description, CFSTR("<SCNetworkReachability 0x")));
    CFRelease(description);

    /* The collections hold what the caller has released. */
    CFMutableDictionaryRef dictionary = CFDictionaryCreateMutable(
        NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFDictionarySetValue(dictionary, target, CFSTR("one"));
    CFDictionarySetValue(dictionary, other, CFSTR("other"));
    CHECK(CFDictionaryGetCount(dictionary) == 2 && CFEqual(CFDictionaryGetValue(dictionary, target), CFSTR("one")));
    CFArrayRef array = CFArrayCreate(NULL, (const void **)&target, 1, &kCFTypeArrayCallBacks);
    CHECK(CFArrayContainsValue(array, CFRangeMake(0, 1), target));
    CFRelease(CFRetain(target));
    CFRelease(target);
    SCNetworkReachabilityFlags flags = 0;
    CHECK(SCNetworkReachabilityGetFlags(CFArrayGetValueAtIndex(array, 0), &flags) && flags != 0);
    CFRelease(array);
    CFRelease(dictionary);
    CFRelease(other);
}

int main(void) {
    objects();
    foreign(NULL);
    foreign(CFSTR("a constant"));
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &(int){1});
    foreign(number);
    CFRelease(number);
    for (int status = -1; status <= 6000; ++status) CHECK(SCErrorString(status) != NULL && *SCErrorString(status));
    puts("ok");
    return 0;
}
