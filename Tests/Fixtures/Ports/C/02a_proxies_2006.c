/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 02a_proxies_2006 - print the proxy configuration, in the manner of the
 * CFProxySupport sample code of Mac OS X 10.4.
 *
 * Usage:     02a_proxies_2006
 * Expected without proxies:
 *            HTTP  no proxy
 *            HTTPS no proxy
 *            FTP   no proxy, passive mode
 *            SOCKS no proxy
 *            Exceptions: *.local, 169.254/16
 *            (passive mode and exceptions are what an untouched service of
 *            Mac OS X has; without them: "FTP   no proxy", "Exceptions:")
 * Expected with an HTTP proxy: HTTP  proxy.example.test 3128
 * Without any network (cable pulled): all "no proxy".
 */

#include <CoreFoundation/CoreFoundation.h>
#include <SystemConfiguration/SystemConfiguration.h>
#include <stdio.h>
#include <string.h>

static Boolean GetNumber(CFDictionaryRef dict, CFStringRef key, SInt32 *value)
{
    CFNumberRef num;

    num = (CFNumberRef) CFDictionaryGetValue(dict, key);
    if ( num == NULL || CFGetTypeID(num) != CFNumberGetTypeID() )
        return false;
    return CFNumberGetValue(num, kCFNumberSInt32Type, value);
}

static Boolean GetProxySetting(CFDictionaryRef dict, CFStringRef enableKey,
    CFStringRef hostKey, CFStringRef portKey, char *host, size_t hostSize, UInt16 *port)
{
    Boolean     result;
    SInt32      enable;
    SInt32      portInt;
    CFStringRef hostStr;

    result = GetNumber(dict, enableKey, &enable) && (enable != 0);
    if (result) {
        hostStr = (CFStringRef) CFDictionaryGetValue(dict, hostKey);
        result = (hostStr != NULL) && (CFGetTypeID(hostStr) == CFStringGetTypeID());
    }
    if (result) {
        result = CFStringGetCString(hostStr, host, (CFIndex) hostSize, kCFStringEncodingMacRoman);
    }
    if (result) {
        *port = GetNumber(dict, portKey, &portInt) ? (UInt16) portInt : 0;
    }
    if ( ! result ) {
        *host = 0;
        *port = 0;
    }
    return result;
}

static void PrintOne(CFDictionaryRef dict, const char *name, CFStringRef enable, CFStringRef host, CFStringRef port)
{
    char    hostBuf[256];
    UInt16  portNum;
    SInt32  passive;

    printf("%-5s ", name);
    if (GetProxySetting(dict, enable, host, port, hostBuf, sizeof(hostBuf), &portNum)) {
        printf("%s %d", hostBuf, (int) portNum);
    } else {
        printf("no proxy");
    }
    if (strcmp(name, "FTP") == 0 && GetNumber(dict, kSCPropNetProxiesFTPPassive, &passive) && passive)
        printf(", passive mode");
    printf("\n");
}

static void PrintString(const void *value, void *context)
{
    char buf[256];
    int *count = (int *) context;

    if (CFStringGetCString((CFStringRef) value, buf, sizeof(buf), kCFStringEncodingUTF8))
        printf("%s%s", (*count)++ ? ", " : " ", buf);
}

int main(void)
{
    SCDynamicStoreRef   store;
    CFDictionaryRef     proxies;
    CFArrayRef          list;
    int                 count = 0;

    store = SCDynamicStoreCreate(NULL, CFSTR("GetProxies"), NULL, NULL);
    proxies = SCDynamicStoreCopyProxies(store);
    if (proxies == NULL) {
        fprintf(stderr, "error %d: %s\n", SCError(), SCErrorString(SCError()));
        return 1;
    }
    PrintOne(proxies, "HTTP", kSCPropNetProxiesHTTPEnable, kSCPropNetProxiesHTTPProxy, kSCPropNetProxiesHTTPPort);
    PrintOne(proxies, "HTTPS", kSCPropNetProxiesHTTPSEnable, kSCPropNetProxiesHTTPSProxy, kSCPropNetProxiesHTTPSPort);
    PrintOne(proxies, "FTP", kSCPropNetProxiesFTPEnable, kSCPropNetProxiesFTPProxy, kSCPropNetProxiesFTPPort);
    PrintOne(proxies, "SOCKS", kSCPropNetProxiesSOCKSEnable, kSCPropNetProxiesSOCKSProxy, kSCPropNetProxiesSOCKSPort);

    printf("Exceptions:");
    if (CFDictionaryGetValueIfPresent(proxies, kSCPropNetProxiesExceptionsList, (const void **) &list))
        CFArrayApplyFunction(list, CFRangeMake(0, CFArrayGetCount(list)), PrintString, &count);
    printf("\n");
    CFRelease(proxies);
    CFRelease(store);
    return 0;
}
