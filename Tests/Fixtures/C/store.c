/* SPDX-License-Identifier: Apache-2.0
 *
 * A client of the dynamic store, with CoreFoundation and libdispatch: a monitor of the primary interface, a reader of proxies
 * and names, and refusals. Needs a network in which lo is up and eth0 has a default route.
 */
#include <SystemConfiguration/CaptiveNetwork.h>
#include <SystemConfiguration/SystemConfiguration.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int released, told;

static void release(const void *info) {
    (void)info;
    released++;
}

static Boolean is(CFTypeRef value, const char *text) {
    char buffer[256];
    return value && CFGetTypeID(value) == CFStringGetTypeID()
        && CFStringGetCString((CFStringRef)value, buffer, sizeof buffer, kCFStringEncodingUTF8)
        && strcmp(buffer, text) == 0;
}

/* The router changes while the run loop runs. */
static void changed(SCDynamicStoreRef store, CFArrayRef changedKeys, void *info) {
    CHECK(info == &told);
    CFStringRef key = SCDynamicStoreKeyCreateNetworkGlobalEntity(NULL, kSCDynamicStoreDomainState, kSCEntNetIPv4);
    if (CFArrayContainsValue(changedKeys, CFRangeMake(0, CFArrayGetCount(changedKeys)), key)) {
        CFDictionaryRef value = (CFDictionaryRef)SCDynamicStoreCopyValue(store, key);
        CHECK(value && is(CFDictionaryGetValue(value, kSCPropNetIPv4Router), "10.0.0.253"));
        CFRelease(value);
        told++;
        CFRunLoopStop(CFRunLoopGetCurrent());
    }
    CFRelease(key);
}

static void primary_interface(void) {
    SCDynamicStoreContext context = {0, &told, NULL, release, NULL};
    SCDynamicStoreRef store = SCDynamicStoreCreate(NULL, CFSTR("primary"), changed, &context);
    CHECK(store);
    CFStringRef key = SCDynamicStoreKeyCreateNetworkGlobalEntity(NULL, kSCDynamicStoreDomainState, kSCEntNetIPv4);
    CFPropertyListRef value = SCDynamicStoreCopyValue(store, key);
    CHECK(value && CFGetTypeID(value) == CFDictionaryGetTypeID());
    CHECK(is(CFDictionaryGetValue((CFDictionaryRef)value, kSCDynamicStorePropNetPrimaryInterface), "eth0"));
    CFRelease(value);
    CFArrayRef keys = CFArrayCreate(NULL, (const void **)&key, 1, &kCFTypeArrayCallBacks);
    CHECK(SCDynamicStoreSetNotificationKeys(store, keys, NULL));
    CFRunLoopSourceRef source = SCDynamicStoreCreateRunLoopSource(NULL, store, 0);
    CHECK(source);
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode);
    CHECK(!SCDynamicStoreSetDispatchQueue(store, dispatch_get_main_queue()) && SCError() == kSCStatusNotifierActive);
    CHECK(system("ip route replace default via 10.0.0.253") == 0);
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 60, false);
    CHECK(told == 1);
    CFRunLoopRemoveSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode);
    CFRelease(source);
    CFRelease(keys);
    CFRelease(key);
    CHECK(released == 0);
    CHECK(SCDynamicStoreSetNotificationKeys(store, NULL, NULL));
    CFRelease(store);
}

static void watch_patterns(void) {
    dispatch_semaphore_t done = dispatch_semaphore_create(0);
    dispatch_queue_t queue = dispatch_queue_create("store", NULL);
    SCDynamicStoreRef store = SCDynamicStoreCreate(NULL, CFSTR("patterns"), NULL, NULL);
    CFStringRef pattern = SCDynamicStoreKeyCreateNetworkInterfaceEntity(
        NULL, kSCDynamicStoreDomainState, kSCCompAnyRegex, kSCEntNetLink);
    CFArrayRef patterns = CFArrayCreate(NULL, (const void **)&pattern, 1, &kCFTypeArrayCallBacks);
    CHECK(SCDynamicStoreSetNotificationKeys(store, NULL, patterns));
    CHECK(SCDynamicStoreSetDispatchQueue(store, queue));
    CHECK(SCDynamicStoreSetDispatchQueue(store, NULL));
    CHECK(!SCDynamicStoreSetDispatchQueue(store, NULL) && SCError() == kSCStatusInvalidArgument);
    CFDictionaryRef links = SCDynamicStoreCopyMultiple(store, NULL, patterns);
    CHECK(links && CFDictionaryGetCount(links) == 2);
    CFRelease(links);
    CFArrayRef keys = SCDynamicStoreCopyNotifiedKeys(store);
    CHECK(keys && CFArrayGetCount(keys) == 0);
    CFRelease(keys);
    CFRelease(patterns);
    CFRelease(pattern);
    CFRelease(store);
    dispatch_release(queue);
    dispatch_release(done);
}

static void specific(void) {
    setenv("http_proxy", "http://proxy.example:3128", 1);
    CFDictionaryRef proxies = SCDynamicStoreCopyProxies(NULL);
    int port = 0, enabled = 0;
    CHECK(proxies && is(CFDictionaryGetValue(proxies, kSCPropNetProxiesHTTPProxy), "proxy.example"));
    CFNumberGetValue((CFNumberRef)CFDictionaryGetValue(proxies, kSCPropNetProxiesHTTPPort), kCFNumberIntType, &port);
    CFNumberGetValue(
        (CFNumberRef)CFDictionaryGetValue(proxies, kSCPropNetProxiesHTTPEnable), kCFNumberIntType, &enabled);
    CHECK(port == 3128 && enabled == 1);
    CFRelease(proxies);
    CFStringEncoding encoding = 0;
    CFStringRef name = SCDynamicStoreCopyComputerName(NULL, &encoding);
    CHECK(name && encoding == kCFStringEncodingUTF8);
    CFRelease(name);
    CHECK(!SCDynamicStoreCopyLocation(NULL) && SCError() == kSCStatusNoKey);
    CHECK(!SCDynamicStoreCopyDHCPInfo(NULL, NULL));
}

/* Sets `SCError()` to something else. */
static Boolean forget(void) {
    return !SCDynamicStoreCopyValue(NULL, NULL) && SCError() == kSCStatusInvalidArgument;
}

static void writing(void) {
    SCDynamicStoreRef store = SCDynamicStoreCreate(NULL, CFSTR("writing"), NULL, NULL);
    CFStringRef key = SCDynamicStoreKeyCreate(NULL, CFSTR("com.example.%@/%d"), CFSTR("store"), 1);
    CFArrayRef keys = CFArrayCreate(NULL, (const void **)&key, 1, &kCFTypeArrayCallBacks);
#define REFUSED(call) CHECK(forget() && !(call) && SCError() == kSCStatusAccessError)
    REFUSED(SCDynamicStoreAddValue(store, key, key));
    REFUSED(SCDynamicStoreAddTemporaryValue(store, key, key));
    REFUSED(SCDynamicStoreSetValue(NULL, key, key));
    REFUSED(SCDynamicStoreSetValue(store, CFSTR("State:/Network/Global/IPv4"), NULL));
    REFUSED(SCDynamicStoreSetMultiple(store, NULL, keys, keys));
    REFUSED(SCDynamicStoreRemoveValue(store, key));
    REFUSED(SCDynamicStoreNotifyValue(store, NULL));
    CHECK(!SCDynamicStoreCopyValue(store, key) && SCError() == kSCStatusNoKey);
    CFRelease(keys);
    CFRelease(key);
    CFRelease(store);
}

static void interfaces(void) {
    CFArrayRef all = SCNetworkInterfaceCopyAll();
    Boolean found = false;
    CHECK(all && CFArrayGetCount(all) == 2);
    for (CFIndex i = 0; i < CFArrayGetCount(all); i++) {
        SCNetworkInterfaceRef interface = (SCNetworkInterfaceRef)CFArrayGetValueAtIndex(all, i);
        CHECK(is(SCNetworkInterfaceGetInterfaceType(interface), "Ethernet"));
        CHECK(CFStringGetLength(SCNetworkInterfaceGetHardwareAddressString(interface)) == 17);
        if (is(SCNetworkInterfaceGetBSDName(interface), "eth0")) found = true;
    }
    CHECK(found);
    CFRelease(all);
    CHECK(!SCNetworkInterfaceGetBSDName(NULL) && SCError() == kSCStatusInvalidArgument);
    CHECK(!SCNetworkInterfaceRefreshConfiguration(CFSTR("eth0")) && SCError() == kSCStatusAccessError);
    CHECK(!CNCopySupportedInterfaces());
}

/* The child of a fork can read, and watch with a session of its own. */
static void after_fork(void) {
    SCDynamicStoreRef store = SCDynamicStoreCreate(NULL, NULL, NULL, NULL);
    CFStringRef key = CFSTR("State:/Network/Global/IPv4");
    CFArrayRef keys = CFArrayCreate(NULL, (const void **)&key, 1, &kCFTypeArrayCallBacks);
    CHECK(SCDynamicStoreSetNotificationKeys(store, keys, NULL));
    pid_t child = fork();
    if (child == 0) {
        CFPropertyListRef value = SCDynamicStoreCopyValue(store, key);
        SCDynamicStoreRef own = SCDynamicStoreCreate(NULL, NULL, NULL, NULL);
        int good = value && !SCDynamicStoreSetNotificationKeys(store, keys, NULL)
            && SCDynamicStoreSetNotificationKeys(own, keys, NULL) && SCDynamicStoreSetNotificationKeys(own, NULL, NULL);
        _exit(good ? 0 : 3);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(SCDynamicStoreSetNotificationKeys(store, NULL, NULL));
    CFRelease(keys);
    CFRelease(store);
}

static void bad_input(void) {
    SCDynamicStoreRef store = SCDynamicStoreCreate(NULL, NULL, NULL, NULL);
    CFStringRef bad = CFSTR("(");
    CFArrayRef patterns = CFArrayCreate(NULL, (const void **)&bad, 1, &kCFTypeArrayCallBacks);
    CHECK(!SCDynamicStoreCopyValue(store, NULL) && SCError() == kSCStatusInvalidArgument);
    CHECK(!SCDynamicStoreCopyKeyList(store, bad) && SCError() == kSCStatusFailed);
    CHECK(!SCDynamicStoreSetNotificationKeys(store, NULL, patterns) && SCError() == kSCStatusInvalidArgument);
    CHECK(!SCDynamicStoreSetNotificationKeys(NULL, NULL, NULL) && SCError() == kSCStatusNoStoreSession);
    CHECK(!SCDynamicStoreCopyNotifiedKeys(NULL) && SCError() == kSCStatusNoStoreSession);
    CHECK(!SCDynamicStoreCreateRunLoopSource(NULL, NULL, 0) && SCError() == kSCStatusNoStoreSession);
    const void *numbers[] = {kCFBooleanTrue};
    CFArrayRef strange = CFArrayCreate(NULL, numbers, 1, &kCFTypeArrayCallBacks);
    CHECK(!SCDynamicStoreCopyMultiple(store, strange, NULL) && SCError() == kSCStatusInvalidArgument);
    CFRelease(strange);
    CHECK(!SCDynamicStoreCreateWithOptions(NULL, NULL, (CFDictionaryRef)patterns, NULL, NULL)
          && SCError() == kSCStatusInvalidArgument);
    const void *option = kSCDynamicStoreUseSessionKeys, *values[] = {bad, kCFBooleanTrue};
    for (int i = 0; i < 2; i++) {
        CFDictionaryRef options = CFDictionaryCreate(
            NULL, &option, &values[i], 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
        SCDynamicStoreRef other = SCDynamicStoreCreateWithOptions(NULL, NULL, options, NULL, NULL);
        CHECK((other != NULL) == (i == 1));
        if (other) CFRelease(other);
        CFRelease(options);
    }
    CHECK(!SCDynamicStoreKeyCreateNetworkGlobalEntity(NULL, NULL, NULL));
    CFRelease(patterns);
    CFRelease(store);
}

int main(void) {
    bad_input();
    primary_interface();
    watch_patterns();
    specific();
    writing();
    interfaces();
    after_fork();
    puts("ok");
    return 0;
}
