/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of other libraries that the functions use. They are declared here instead of included. CoreFoundation's
 * headers need blocks, which gcc does not have. A second `struct sockaddr` beside Glibc's would be a second type in
 * Swift.
 */
#ifndef SYSTEMCONFIGURATION_SCBASE_H
#define SYSTEMCONFIGURATION_SCBASE_H

#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

#ifdef SC_OPAQUE_HANDLES

/* The types for the library itself. It is written in Swift, which imports these names as classes and cannot export C
 * functions that take classes. */
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
typedef bool Boolean; /* as in CFBase.h on Linux, which may follow */
typedef signed long CFIndex;
typedef unsigned long CFTypeID;
typedef const struct __CFAllocator *CFAllocatorRef;
typedef const struct __CFString *CFStringRef;
#endif
typedef const struct __CFDictionary *CFDictionaryRef;
typedef struct __CFError *CFErrorRef;
typedef struct __CFRunLoop *CFRunLoopRef;
typedef struct dispatch_queue_s *dispatch_queue_t;

/* Retained and released with CFRetain and CFRelease, if the program has them. */
typedef const struct __SCNetworkReachability *SCNetworkReachabilityRef;

#endif

#endif
