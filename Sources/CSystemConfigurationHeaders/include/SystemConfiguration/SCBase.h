/* SPDX-License-Identifier: Apache-2.0
 *
 * The few names of other libraries that the functions mention. They are declared, not included: CoreFoundation's headers
 * need blocks, which gcc does not have; and a second `struct sockaddr` beside Glibc's would split Swift's in two.
 */
#ifndef SYSTEMCONFIGURATION_SCBASE_H
#define SYSTEMCONFIGURATION_SCBASE_H

#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

#ifdef SC_OPAQUE_HANDLES

/* How the library itself sees them. It is written in Swift, which knows these names for classes and cannot export
 * functions of classes; so they have another name here. */
typedef struct sc_opaque *sc_handle;
#define CFAllocatorRef sc_handle
#define CFStringRef sc_handle
#define CFDictionaryRef sc_handle
#define CFErrorRef sc_handle
#define CFRunLoopRef sc_handle
#define dispatch_queue_t sc_handle
#define SCNetworkReachabilityRef sc_handle
typedef long CFIndex;
typedef unsigned long CFTypeID;
typedef bool Boolean;

#else

#ifndef __COREFOUNDATION_CFBASE__
typedef bool Boolean; /* as CFBase.h has it on Linux, should that follow */
typedef signed long CFIndex;
typedef unsigned long CFTypeID;
typedef const struct __CFAllocator *CFAllocatorRef;
typedef const struct __CFString *CFStringRef;
#endif
typedef const struct __CFDictionary *CFDictionaryRef;
typedef struct __CFError *CFErrorRef;
typedef struct __CFRunLoop *CFRunLoopRef;
typedef struct dispatch_queue_s *dispatch_queue_t;

/* Retained and released like an object of CoreFoundation, with CFRetain and CFRelease where a program has them. */
typedef const struct __SCNetworkReachability *SCNetworkReachabilityRef;

#endif

#endif
