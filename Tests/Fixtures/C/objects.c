/* SPDX-License-Identifier: Apache-2.0
 *
 * Treats targets, sessions and interfaces as objects of CoreFoundation, and passes other objects for them.
 */
#include <CoreFoundation/CoreFoundation.h>
#include <SystemConfiguration/SystemConfiguration.h>
#include <stdio.h>

#include "check.h"

static Boolean refused(Boolean outcome) {
    Boolean result = !outcome && SCError() == kSCStatusInvalidArgument;
    SCDynamicStoreRemoveValue(NULL, CFSTR(""));
    return result;
}

static void foreign(CFTypeRef object) {
    SCNetworkReachabilityRef target = object;
    SCDynamicStoreRef store = object;
    SCNetworkInterfaceRef interface = object;
    SCNetworkReachabilityFlags flags;
    SCDynamicStoreRemoveValue(NULL, CFSTR(""));
    CHECK(refused(SCNetworkReachabilityGetFlags(target, &flags)));
    CHECK(refused(SCNetworkReachabilityGetInterfaceIndex(target) != -1));
    CHECK(refused(SCNetworkReachabilitySetCallback(target, NULL, NULL)));
    CHECK(refused(SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), kCFRunLoopDefaultMode)));
    CHECK(refused(SCNetworkReachabilitySetDispatchQueue(target, NULL)));
    CHECK(refused(SCNetworkInterfaceGetBSDName(interface) != NULL));
    if (object == NULL) return;
    CHECK(refused(SCDynamicStoreCopyValue(store, CFSTR("State:/Network/Interface")) != NULL));
    CHECK(refused(SCDynamicStoreCopyKeyList(store, CFSTR(".*")) != NULL));
    CHECK(refused(SCDynamicStoreCopyProxies(store) != NULL));
    CHECK(refused(SCDynamicStoreCopyNotifiedKeys(store) != NULL));
    CHECK(refused(SCDynamicStoreCreateRunLoopSource(NULL, store, 0) != NULL));
}

static void objects(void) {
    SCNetworkReachabilityRef target = SCNetworkReachabilityCreateWithName(NULL, "127.0.0.1");
    SCNetworkReachabilityRef other = SCNetworkReachabilityCreateWithName(NULL, "127.0.0.1");
    SCDynamicStoreRef store = SCDynamicStoreCreate(NULL, CFSTR("objects"), NULL, NULL);
    CHECK(target && other && store);
    CHECK(CFGetTypeID(target) == SCNetworkReachabilityGetTypeID());
    CHECK(CFGetTypeID(store) == SCDynamicStoreGetTypeID());
    CHECK(CFGetTypeID(store) != CFGetTypeID(target) && CFGetTypeID(store) != CFStringGetTypeID());
    CHECK(CFEqual(target, target) && !CFEqual(target, other) && !CFEqual(target, store) && !CFEqual(target, CFSTR("x")));
    CHECK(CFHash(target) == CFHash(target) && CFHash(target) != CFHash(other));

    CFStringRef description = CFCopyDescription(target);
    CHECK(description && CFStringHasPrefix(description, CFSTR("<SCNetworkReachability 0x")));
    CFRelease(description);

    /* The collections hold what the caller has released. */
    CFMutableDictionaryRef dictionary = CFDictionaryCreateMutable(
        NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFDictionarySetValue(dictionary, target, store);
    CFDictionarySetValue(dictionary, other, CFSTR("other"));
    CHECK(CFDictionaryGetCount(dictionary) == 2 && CFDictionaryGetValue(dictionary, target) == store);
    CFArrayRef array = CFArrayCreate(NULL, (const void **)&target, 1, &kCFTypeArrayCallBacks);
    CHECK(CFArrayContainsValue(array, CFRangeMake(0, 1), target));
    CFRelease(CFRetain(target));
    CFRelease(target);
    SCNetworkReachabilityFlags flags = 0;
    CHECK(SCNetworkReachabilityGetFlags(CFArrayGetValueAtIndex(array, 0), &flags) && flags != 0);
    CFRelease(array);
    CFRelease(dictionary);
    CFRelease(other);
    CFRelease(store);
}

static void interfaces(void) {
    CFArrayRef first = SCNetworkInterfaceCopyAll(), second = SCNetworkInterfaceCopyAll();
    CHECK(first && second && CFArrayGetCount(first) > 0 && CFEqual(first, second));
    CFTypeRef one = CFArrayGetValueAtIndex(first, 0), same = CFArrayGetValueAtIndex(second, 0);
    CHECK(CFGetTypeID(one) == SCNetworkInterfaceGetTypeID());
    CHECK(one != same && CFEqual(one, same) && CFHash(one) == CFHash(same));
    CFRelease(first);
    CFRelease(second);
}

int main(void) {
    objects();
    interfaces();
    foreign(NULL);
    foreign(CFSTR("a constant"));
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &(int){1});
    foreign(number);
    CFRelease(number);
    SCDynamicStoreRef store = SCDynamicStoreCreate(NULL, CFSTR("objects"), NULL, NULL);
    SCNetworkReachabilityFlags flags;
    CHECK(refused(SCNetworkReachabilityGetFlags((CFTypeRef)store, &flags)));
    CFRelease(store);
    for (int status = -1; status <= 6000; ++status) CHECK(SCErrorString(status) != NULL && *SCErrorString(status));
    puts("ok");
    return 0;
}
