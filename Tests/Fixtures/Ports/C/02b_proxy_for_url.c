/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 02b_proxy_for_url: which proxies to use for a URL, as a library for free
 * desktops would do it on the Mac.
 *
 * Usage:    02b_proxy_for_url http://www.example.test/ [...]
 * Expected without proxies, for each URL:
 *           http://www.example.test/ direct://
 * With an HTTP proxy:
 *           http://www.example.test/ http://proxy.example.test:3128
 * With a PAC file:     ... pac+http://wpad.example.test/proxy.pac
 * With WPAD:           ... wpad://
 * For a host in the exceptions list (e.g. http://x.local/ for *.local): direct://
 * Cable pulled: direct:// always.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <SystemConfiguration/SCDynamicStoreCopySpecific.h>
#include <SystemConfiguration/SCSchemaDefinitions.h>

static bool str(CFDictionaryRef settings, CFStringRef key, char *buf, size_t len)
{
	CFTypeRef v = CFDictionaryGetValue(settings, key);
	return v != NULL && CFGetTypeID(v) == CFStringGetTypeID() &&
	    CFStringGetCString((CFStringRef)v, buf, (CFIndex)len, kCFStringEncodingUTF8);
}

static long num(CFDictionaryRef settings, CFStringRef key, long dflt)
{
	CFTypeRef v = CFDictionaryGetValue(settings, key);
	long n = dflt;
	if (v && CFGetTypeID(v) == CFNumberGetTypeID())
		CFNumberGetValue((CFNumberRef)v, kCFNumberLongType, &n);
	else if (v && CFGetTypeID(v) == CFBooleanGetTypeID())
		n = CFBooleanGetValue((CFBooleanRef)v);
	return n;
}

static bool ignored(CFDictionaryRef settings, const char *host)
{
	CFArrayRef list = CFDictionaryGetValue(settings, kSCPropNetProxiesExceptionsList);
	char pattern[256];

	if (num(settings, kSCPropNetProxiesExcludeSimpleHostnames, 0) && !strchr(host, '.'))
		return true;
	for (CFIndex i = 0; list != NULL && i < CFArrayGetCount(list); i++) {
		CFStringRef s = CFArrayGetValueAtIndex(list, i);
		if (!CFStringGetCString(s, pattern, sizeof pattern, kCFStringEncodingUTF8))
			continue;
		if (pattern[0] == '*') {
			size_t hl = strlen(host), pl = strlen(pattern + 1);
			if (hl >= pl && strcasecmp(host + hl - pl, pattern + 1) == 0)
				return true;
		} else if (strcasecmp(host, pattern) == 0) {
			return true;
		}
	}
	return false;
}

static bool protocol(CFDictionaryRef settings, const char *name, const char *scheme)
{
	char upper[16], host[256];
	size_t i;

	for (i = 0; name[i] && i < sizeof upper - 1; i++)
		upper[i] = (char)toupper((unsigned char)name[i]);
	upper[i] = 0;

	/* the keys are made from the protocol: HTTPEnable, HTTPProxy, HTTPPort */
	CFStringRef e = CFStringCreateWithFormat(NULL, NULL, CFSTR("%sEnable"), upper);
	CFStringRef h = CFStringCreateWithFormat(NULL, NULL, CFSTR("%sProxy"), upper);
	CFStringRef p = CFStringCreateWithFormat(NULL, NULL, CFSTR("%sPort"), upper);
	bool ok = num(settings, e, 0) != 0 && str(settings, h, host, sizeof host);
	if (ok)
		printf(" %s://%s:%ld", scheme, host, num(settings, p, 0));
	CFRelease(e), CFRelease(h), CFRelease(p);
	return ok;
}

int main(int argc, char **argv)
{
	CFDictionaryRef settings = SCDynamicStoreCopyProxies(NULL);
	char scheme[16], host[256], pac[1024];

	if (settings == NULL)
		settings = CFDictionaryCreate(NULL, NULL, NULL, 0, NULL, NULL);
	for (int i = 1; i < argc; i++) {
		bool any = false;
		printf("%s", argv[i]);
		if (sscanf(argv[i], "%15[^:]://%255[^:/]", scheme, host) == 2 && !ignored(settings, host)) {
			if (num(settings, kSCPropNetProxiesProxyAutoDiscoveryEnable, 0))
				any = true, printf(" wpad://");
			if (num(settings, kSCPropNetProxiesProxyAutoConfigEnable, 0) &&
			    str(settings, kSCPropNetProxiesProxyAutoConfigURLString, pac, sizeof pac))
				any = true, printf(" pac+%s", pac);
			any |= protocol(settings, scheme, "http");
			any |= protocol(settings, "socks", "socks");
		}
		printf("%s\n", any ? "" : " direct://");
	}
	CFRelease(settings);
	return 0;
}
