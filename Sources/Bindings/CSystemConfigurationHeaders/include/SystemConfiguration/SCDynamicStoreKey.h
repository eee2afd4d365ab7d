/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that compose keys. The caller releases the result. The allocator is ignored.
 */
#ifndef SYSTEMCONFIGURATION_SCDYNAMICSTOREKEY_H
#define SYSTEMCONFIGURATION_SCDYNAMICSTOREKEY_H

#include <SystemConfiguration/SCBase.h>

SC_BEGIN_DECLARATIONS

/* A key by a format of CoreFoundation. Strict C89 and C++98 have no such macros. */
#if !defined(__STRICT_ANSI__) || __STDC_VERSION__ >= 199901L || __cplusplus >= 201103L
#define SCDynamicStoreKeyCreate(allocator, ...) CFStringCreateWithFormat((allocator), NULL, __VA_ARGS__)
#endif

CFStringRef SCDynamicStoreKeyCreateNetworkGlobalEntity(
    CFAllocatorRef allocator, CFStringRef domain, CFStringRef entity);
CFStringRef SCDynamicStoreKeyCreateNetworkInterface(CFAllocatorRef allocator, CFStringRef domain);
CFStringRef SCDynamicStoreKeyCreateNetworkInterfaceEntity(
    CFAllocatorRef allocator, CFStringRef domain, CFStringRef ifname, CFStringRef entity);
CFStringRef SCDynamicStoreKeyCreateNetworkServiceEntity(
    CFAllocatorRef allocator, CFStringRef domain, CFStringRef serviceID, CFStringRef entity);
CFStringRef SCDynamicStoreKeyCreateComputerName(CFAllocatorRef allocator);
CFStringRef SCDynamicStoreKeyCreateConsoleUser(CFAllocatorRef allocator);
CFStringRef SCDynamicStoreKeyCreateHostNames(CFAllocatorRef allocator);
CFStringRef SCDynamicStoreKeyCreateLocation(CFAllocatorRef allocator);
CFStringRef SCDynamicStoreKeyCreateProxies(CFAllocatorRef allocator);

SC_END_DECLARATIONS

#endif
