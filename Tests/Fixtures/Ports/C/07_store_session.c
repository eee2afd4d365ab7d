/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 07_store_session: writes an own key and hears of it in its own run loop.
 * As root; otherwise the first line is "add: Permission denied (1003)".
 *
 * Usage:    sudo 07_store_session
 * Expected: add: ok
 *           add again: 1005, as expected
 *           set: ok
 *           [callback] State:/Outside/C
 *           notify: ok
 *           [callback] State:/Outside/C
 *           remove: ok
 *           [callback] State:/Outside/C (gone)
 *           get: No such key (1004)
 *           remove again: No such key (1004)
 *           bad pattern: refused
 *           3 callback(s)
 * The network does not matter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <SystemConfiguration/SystemConfiguration.h>

static int callbacks;

static CFStringRef
describe(const void *info)
{
	return CFStringCreateWithFormat(NULL, NULL, CFSTR("counter at %p"), info);
}

static void
heard(SCDynamicStoreRef store, CFArrayRef keys, void *info)
{
	++*(int *)info;
	for (CFIndex i = 0; i < CFArrayGetCount(keys); i++) {
		CFStringRef		key = CFArrayGetValueAtIndex(keys, i);
		CFPropertyListRef	value = SCDynamicStoreCopyValue(store, key);
		char			name[128];

		CFStringGetCString(key, name, sizeof(name), kCFStringEncodingUTF8);
		printf("[callback] %s%s\n", name, value ? "" : " (gone)");
		if (value) CFRelease(value);
	}
	CFRunLoopStop(CFRunLoopGetCurrent());
}

static Boolean
check(const char *what, Boolean ok)
{
	if (ok) printf("%s: ok\n", what);
	else printf("%s: %s (%d)\n", what, SCErrorString(SCError()), SCError());
	return ok;
}

static CFDictionaryRef
makeValue(int count)
{
	CFMutableDictionaryRef d = CFDictionaryCreateMutable(NULL, 0,
	    &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
	CFNumberRef n = CFNumberCreate(NULL, kCFNumberIntType, &count);
	CFDictionarySetValue(d, CFSTR("Count"), n);
	CFDictionarySetValue(d, CFSTR("Enabled"), kCFBooleanTrue);
	CFRelease(n);
	return d;
}

int
main(void)
{
	SCDynamicStoreContext	context = { 0, &callbacks, NULL, NULL, describe };
	CFStringRef		key = CFSTR("State:/Outside/C");
	CFDictionaryRef		one = makeValue(1), two = makeValue(2);
	CFPropertyListRef	value;

	SCDynamicStoreRef store = SCDynamicStoreCreate(NULL, CFSTR("07_store_session"), heard, &context);
	if (store == NULL) {
		fprintf(stderr, "%s\n", SCErrorString(SCError()));
		return 1;
	}
	if (!check("add", SCDynamicStoreAddValue(store, key, one))) return 1;
	if (!SCDynamicStoreAddValue(store, key, one) && SCError() == kSCStatusKeyExists)
		printf("add again: %d, as expected\n", SCError());

	CFArrayRef keys = CFArrayCreate(NULL, (const void **)&key, 1, &kCFTypeArrayCallBacks);
	SCDynamicStoreSetNotificationKeys(store, keys, NULL);
	CFRunLoopSourceRef rls = SCDynamicStoreCreateRunLoopSource(NULL, store, 0);
	CFRunLoopAddSource(CFRunLoopGetCurrent(), rls, kCFRunLoopDefaultMode);

	check("set", SCDynamicStoreSetValue(store, key, two));
	CFRunLoopRunInMode(kCFRunLoopDefaultMode, 5, false);
	check("notify", SCDynamicStoreNotifyValue(store, key));
	CFRunLoopRunInMode(kCFRunLoopDefaultMode, 5, false);
	check("remove", SCDynamicStoreRemoveValue(store, key));
	CFRunLoopRunInMode(kCFRunLoopDefaultMode, 5, false);

	value = SCDynamicStoreCopyValue(store, key);
	check("get", value != NULL);
	check("remove again", SCDynamicStoreRemoveValue(store, key));
	CFArrayRef none = SCDynamicStoreCopyKeyList(store, CFSTR("State:/["));
	printf("bad pattern: %s\n", none == NULL && SCError() != kSCStatusOK ? "refused" : "accepted");
	if (none) CFRelease(none);
	printf("%d callback(s)\n", callbacks);

	CFRunLoopSourceInvalidate(rls);
	CFRelease(rls), CFRelease(keys), CFRelease(one), CFRelease(two), CFRelease(store);
	return 0;
}
