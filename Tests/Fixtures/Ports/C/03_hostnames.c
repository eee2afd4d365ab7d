/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 03_hostnames: the computer's names, the location and the console user.
 *
 * Usage:    03_hostnames
 * Expected: computer name: box (utf-8)
 *           local host name: box
 *           location: <UUID>              ("location: No such key" without a current set)
 *           console user: jane (501:20)   ("console user: none")
 *           HostNames: LocalHostName = box
 * A removed address or a pulled cable changes nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <SystemConfiguration/SCDynamicStore.h>
#include <SystemConfiguration/SCDynamicStoreKey.h>
#include <SystemConfiguration/SCDynamicStoreCopySpecific.h>
#include <SystemConfiguration/SystemConfiguration.h>

/* the classic way: first the pointer, then the copy; caller frees */
static char *
copy_utf8(CFStringRef s)
{
	const char	*p;
	char		*buf;
	CFIndex		max;

	p = CFStringGetCStringPtr(s, kCFStringEncodingUTF8);
	if (p != NULL) {
		return strdup(p);
	}
	max = CFStringGetMaximumSizeForEncoding(CFStringGetLength(s), kCFStringEncodingUTF8) + 1;
	buf = malloc((size_t)max);
	if (!CFStringGetCString(s, buf, max, kCFStringEncodingUTF8)) {
		free(buf);
		return NULL;
	}
	return buf;
}

static void
print_and_release(const char *what, CFStringRef s, const char *suffix)
{
	if (s == NULL) {
		printf("%s: %s\n", what, SCErrorString(SCError()));
		return;
	}
	char *c = copy_utf8(s);
	printf("%s: %s%s\n", what, c ? c : "?", suffix);
	free(c);
	CFRelease(s);
}

static void
print_entry(const void *key, const void *value, void *context)
{
	char	*k = copy_utf8((CFStringRef)key);

	(void)context;
	if (CFGetTypeID(value) == CFStringGetTypeID()) {
		char *v = copy_utf8((CFStringRef)value);
		printf("HostNames: %s = %s\n", k, v);
		free(v);
	}
	free(k);
}

int
main(void)
{
	SCDynamicStoreRef	store;
	CFStringEncoding	encoding = kCFStringEncodingInvalidId;
	CFStringRef		name;
	CFStringRef		key;
	CFPropertyListRef	value;
	uid_t			uid = (uid_t)-1;
	gid_t			gid = (gid_t)-1;
	char			suffix[64];

	store = SCDynamicStoreCreate(NULL, CFSTR("03_hostnames"), NULL, NULL);
	if (store == NULL) {
		printf("no session: %s\n", SCErrorString(SCError()));
		return 1;
	}

	name = SCDynamicStoreCopyComputerName(store, &encoding);
	snprintf(suffix, sizeof(suffix), " (%s)",
		 encoding == kCFStringEncodingUTF8 ? "utf-8" :
		 encoding == kCFStringEncodingMacRoman ? "macintosh" : "other");
	print_and_release("computer name", name, suffix);
	print_and_release("local host name", SCDynamicStoreCopyLocalHostName(store), "");
	print_and_release("location", SCDynamicStoreCopyLocation(store), "");

	name = SCDynamicStoreCopyConsoleUser(store, &uid, &gid);
	if (name != NULL) {
		snprintf(suffix, sizeof(suffix), " (%u:%u)", (unsigned)uid, (unsigned)gid);
		print_and_release("console user", name, suffix);
	} else {
		printf("console user: none\n");
	}

	key = SCDynamicStoreKeyCreateHostNames(NULL);
	value = SCDynamicStoreCopyValue(store, key);
	if (value != NULL && CFGetTypeID(value) == CFDictionaryGetTypeID()) {
		CFDictionaryApplyFunction((CFDictionaryRef)value, print_entry, NULL);
		CFRelease(value);
	} else {
		printf("HostNames: %s\n", SCErrorString(SCError()));
	}
	CFRelease(key);
	CFRelease(store);
	return 0;
}
