/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 05_dns: name servers and search domains, and what the DHCP server said.
 *
 * Usage:    05_dns
 * Expected: global: nameserver 192.0.2.53
 *           global: search example.test
 *           global: domain example.test          (only with a DomainName)
 *           service <UUID>: nameserver 192.0.2.53
 *           ...
 *           DHCP: server 192.0.2.1, name server 192.0.2.53, started <seconds since 2001>
 *           (or "DHCP: no lease" for a manual address)
 * Cable pulled:
 *           global: No such key
 *           DHCP: no lease
 */
#include <stdio.h>
#include <SystemConfiguration/SystemConfiguration.h>
#include <SystemConfiguration/SCDynamicStoreCopyDHCPInfo.h>

static void
strings(const char *where, const char *what, CFTypeRef value)
{
	char	buf[256];

	if (value == NULL) return;
	if (CFGetTypeID(value) == CFStringGetTypeID()) {
		if (CFStringGetCString(value, buf, sizeof buf, kCFStringEncodingUTF8))
			printf("%s: %s %s\n", where, what, buf);
	} else if (CFGetTypeID(value) == CFArrayGetTypeID()) {
		for (CFIndex i = 0; i < CFArrayGetCount(value); i++)
			strings(where, what, CFArrayGetValueAtIndex(value, i));
	}
}

static void
resolver(SCDynamicStoreRef store, const char *where, CFStringRef key)
{
	CFDictionaryRef	dns = SCDynamicStoreCopyValue(store, key);

	if (dns == NULL) {
		printf("%s: %s\n", where, SCErrorString(SCError()));
		return;
	}
	strings(where, "nameserver", CFDictionaryGetValue(dns, kSCPropNetDNSServerAddresses));
	strings(where, "search", CFDictionaryGetValue(dns, kSCPropNetDNSSearchDomains));
	strings(where, "domain", CFDictionaryGetValue(dns, kSCPropNetDNSDomainName));
	CFRelease(dns);
}

static void
address(const char *label, CFDictionaryRef info, UInt8 option)
{
	CFDataRef	data = DHCPInfoGetOptionData(info, option);

	if (data != NULL && CFDataGetLength(data) >= 4) {
		const UInt8 *b = CFDataGetBytePtr(data);
		printf("%s %d.%d.%d.%d,", label, b[0], b[1], b[2], b[3]);
	}
}

int
main(void)
{
	SCDynamicStoreRef store = SCDynamicStoreCreate(NULL, CFSTR("05_dns"), NULL, NULL);
	CFStringRef	key, pattern;
	CFArrayRef	keys;
	CFDictionaryRef	info;

	if (store == NULL) {
		fprintf(stderr, "%s\n", SCErrorString(SCError()));
		return 1;
	}

	key = SCDynamicStoreKeyCreateNetworkGlobalEntity(NULL, kSCDynamicStoreDomainState, kSCEntNetDNS);
	resolver(store, "global", key);
	CFRelease(key);

	pattern = SCDynamicStoreKeyCreateNetworkServiceEntity(NULL, kSCDynamicStoreDomainState,
							      kSCCompAnyRegex, kSCEntNetDNS);
	keys = SCDynamicStoreCopyKeyList(store, pattern);
	CFRelease(pattern);
	for (CFIndex i = 0; keys != NULL && i < CFArrayGetCount(keys); i++) {
		CFArrayRef	parts;
		char		id[128], where[160];

		key = CFArrayGetValueAtIndex(keys, i);
		parts = CFStringCreateArrayBySeparatingStrings(NULL, key, CFSTR("/"));
		CFStringGetCString(CFArrayGetValueAtIndex(parts, 3), id, sizeof id, kCFStringEncodingUTF8);
		snprintf(where, sizeof where, "service %s", id);
		resolver(store, where, key);
		CFRelease(parts);
	}
	if (keys) CFRelease(keys);

	info = SCDynamicStoreCopyDHCPInfo(store, NULL);		/* the primary service */
	if (info == NULL) {
		printf("DHCP: no lease\n");
	} else {
		CFDateRef start = DHCPInfoGetLeaseStartTime(info);
		printf("DHCP:");
		address(" server", info, 54);
		address(" name server", info, 6);
		printf(" started %.0f\n", start ? CFDateGetAbsoluteTime(start) : 0.0);
		CFRelease(info);
	}
	CFRelease(store);
	return 0;
}
