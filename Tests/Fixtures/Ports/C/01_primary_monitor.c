/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 01_primary_monitor: prints the primary interface and router, and each change.
 *
 * Usage:    01_primary_monitor
 * Build:    cc 01_primary_monitor.c -framework SystemConfiguration -framework CoreFoundation
 * Expected: primary en0, router 192.0.2.1
 * Address removed or cable pulled:
 *           1 key(s) changed
 *           no primary interface
 * Runs until killed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <SystemConfiguration/SystemConfiguration.h>

typedef struct {
	CFStringRef	key;
	int		changes;
} monitor_t;

static void
print_cfstring(const char *label, CFStringRef string)
{
	char	buf[256];

	if (string == NULL ||
	    !CFStringGetCString(string, buf, sizeof(buf), kCFStringEncodingUTF8)) {
		strcpy(buf, "?");
	}
	printf("%s%s", label, buf);
}

static void
show(SCDynamicStoreRef store, monitor_t *monitor)
{
	CFDictionaryRef	dict;
	CFStringRef	interface;
	CFStringRef	router;

	dict = SCDynamicStoreCopyValue(store, monitor->key);
	if (dict == NULL) {
		if (SCError() != kSCStatusNoKey) {
			printf("SCDynamicStoreCopyValue: %s\n", SCErrorString(SCError()));
		}
		printf("no primary interface\n");
		return;
	}
	if (CFGetTypeID(dict) == CFDictionaryGetTypeID()) {
		interface = CFDictionaryGetValue(dict, kSCDynamicStorePropNetPrimaryInterface);
		router = CFDictionaryGetValue(dict, kSCPropNetIPv4Router);
		print_cfstring("primary ", interface);
		if (router != NULL) {
			print_cfstring(", router ", router);
		}
		printf("\n");
	}
	CFRelease(dict);
}

static void
changed(SCDynamicStoreRef store, CFArrayRef changedKeys, void *info)
{
	monitor_t *monitor = (monitor_t *)info;

	monitor->changes++;
	printf("%ld key(s) changed\n", (long)CFArrayGetCount(changedKeys));
	if (CFArrayContainsValue(changedKeys, CFRangeMake(0, CFArrayGetCount(changedKeys)), monitor->key)) {
		show(store, monitor);
	}
	fflush(stdout);
}

int
main(int argc, const char *argv[])
{
	SCDynamicStoreContext	context = { 0, NULL, NULL, NULL, NULL };
	monitor_t		monitor = { NULL, 0 };
	CFArrayRef		keys;
	SCDynamicStoreRef	store;
	CFRunLoopSourceRef	rls;

	(void)argc; (void)argv;
	context.info = &monitor;
	store = SCDynamicStoreCreate(kCFAllocatorDefault, CFSTR("01_primary_monitor"), changed, &context);
	if (store == NULL) {
		fprintf(stderr, "SCDynamicStoreCreate() failed: %s\n", SCErrorString(SCError()));
		return EXIT_FAILURE;
	}

	monitor.key = SCDynamicStoreKeyCreateNetworkGlobalEntity(NULL, kSCDynamicStoreDomainState, kSCEntNetIPv4);
	keys = CFArrayCreate(NULL, (const void **)&monitor.key, 1, &kCFTypeArrayCallBacks);
	if (!SCDynamicStoreSetNotificationKeys(store, keys, NULL)) {
		fprintf(stderr, "SCDynamicStoreSetNotificationKeys() failed: %s\n", SCErrorString(SCError()));
		return EXIT_FAILURE;
	}
	CFRelease(keys);

	rls = SCDynamicStoreCreateRunLoopSource(NULL, store, 0);
	CFRunLoopAddSource(CFRunLoopGetCurrent(), rls, kCFRunLoopDefaultMode);
	CFRelease(rls);

	show(store, &monitor);
	fflush(stdout);
	CFRunLoopRun();
	return EXIT_SUCCESS;
}
