/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 04_vpn_watch: tunnels and service addresses, watched with patterns.
 *
 * Usage:    04_vpn_watch [seconds]        (default 3600)
 * Expected: 0 tunnel(s)
 *           State:/Network/Service/<UUID>/IPv4 192.0.2.10
 *           --
 * When utun4 (tun0, wg0, ppp0) gets 10.8.0.2:
 *           State:/Network/Interface/utun4/IPv4 10.8.0.2
 * When the address of en0 is removed, or the cable pulled:
 *           State:/Network/Service/<UUID>/IPv4 removed
 */
#include <CoreFoundation/CoreFoundation.h>
#include <SystemConfiguration/SystemConfiguration.h>
#include <stdio.h>
#include <stdlib.h>

#define TUNNELS	CFSTR("State:/Network/Interface/(utun|ppp|tun|wg)[^/]*/IPv4")

static void
printKey(CFStringRef key, CFPropertyListRef value)
{
	char		buf[512];
	CFArrayRef	addresses = NULL;

	CFStringGetCString(key, buf, sizeof(buf), kCFStringEncodingASCII);
	printf("%s", buf);
	if (value == NULL) {
		printf(" removed\n");
		return;
	}
	if (CFGetTypeID(value) == CFDictionaryGetTypeID()) {
		addresses = CFDictionaryGetValue(value, kSCPropNetIPv4Addresses);
	}
	for (CFIndex i = 0; addresses != NULL && i < CFArrayGetCount(addresses); i++) {
		CFStringRef a = CFArrayGetValueAtIndex(addresses, i);
		if (CFStringGetCString(a, buf, sizeof(buf), kCFStringEncodingASCII)) {
			printf(" %s", buf);
		}
	}
	printf("\n");
}

static CFComparisonResult
byName(const void *a, const void *b, void *context)
{
	return CFStringCompare(a, b, kCFCompareNumerically);
}

static void
printKeys(CFArrayRef keys, CFDictionaryRef values)
{
	CFMutableArrayRef sorted = CFArrayCreateMutableCopy(NULL, 0, keys);
	CFArraySortValues(sorted, CFRangeMake(0, CFArrayGetCount(sorted)), byName, NULL);
	for (CFIndex i = 0; i < CFArrayGetCount(sorted); i++) {
		CFStringRef key = CFArrayGetValueAtIndex(sorted, i);
		printKey(key, values ? CFDictionaryGetValue(values, key) : NULL);
	}
	CFRelease(sorted);
	fflush(stdout);
}

static void
callback(SCDynamicStoreRef store, CFArrayRef changedKeys, void *info)
{
	CFDictionaryRef values = SCDynamicStoreCopyMultiple(store, changedKeys, NULL);
	printKeys(changedKeys, values);
	if (values) CFRelease(values);
}

int
main(int argc, char *argv[])
{
	SCDynamicStoreRef	store;
	CFMutableArrayRef	patterns;
	CFStringRef		services;
	CFArrayRef		keys;
	CFDictionaryRef		values;
	CFRunLoopSourceRef	rls;

	if (!(store = SCDynamicStoreCreate(NULL, CFSTR("04_vpn_watch"), callback, NULL))) goto fail;

	if (!(keys = SCDynamicStoreCopyKeyList(store, TUNNELS))) goto fail;
	printf("%d tunnel(s)\n", (int)CFArrayGetCount(keys));
	CFRelease(keys);

	patterns = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
	CFArrayAppendValue(patterns, TUNNELS);
	services = SCDynamicStoreKeyCreateNetworkServiceEntity(NULL, kSCDynamicStoreDomainState,
							       kSCCompAnyRegex, kSCEntNetIPv4);
	CFArrayAppendValue(patterns, services);
	CFRelease(services);

	if (!(values = SCDynamicStoreCopyMultiple(store, NULL, patterns))) goto fail;
	CFIndex n = CFDictionaryGetCount(values);
	const void **names = malloc(sizeof(void *) * (size_t)(n + 1));
	CFDictionaryGetKeysAndValues(values, names, NULL);
	keys = CFArrayCreate(NULL, names, n, &kCFTypeArrayCallBacks);
	printKeys(keys, values);
	printf("--\n");
	fflush(stdout);
	free(names);

	if (!SCDynamicStoreSetNotificationKeys(store, NULL, patterns)) goto fail;
	if (!(rls = SCDynamicStoreCreateRunLoopSource(NULL, store, 0))) goto fail;
	CFRunLoopAddSource(CFRunLoopGetCurrent(), rls, kCFRunLoopCommonModes);
	CFRunLoopRunInMode(kCFRunLoopDefaultMode, argc > 1 ? atof(argv[1]) : 3600.0, FALSE);
	return 0;
fail:
	printf("error: %s\n", SCErrorString(SCError()));
	return 1;
}
