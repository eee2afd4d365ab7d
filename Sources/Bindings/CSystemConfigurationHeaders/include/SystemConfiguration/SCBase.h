/* SPDX-License-Identifier: Apache-2.0
 *
 * The types of CoreFoundation and libdispatch that the functions use. If the compiler supports blocks and finds the headers of
 * these libraries, this header includes them, as Apple's does. Otherwise it declares the types itself: CoreFoundation's headers
 * need blocks, which gcc does not have.
 */
#ifndef SYSTEMCONFIGURATION_SCBASE_H
#define SYSTEMCONFIGURATION_SCBASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __swift__
#include <sys/socket.h>
#include <sys/types.h>
#if defined(__BLOCKS__) && defined(__has_include)
#if __has_include(<CoreFoundation/CoreFoundation.h>)
#include <CoreFoundation/CoreFoundation.h>
#endif
#if __has_include(<dispatch/dispatch.h>)
#include <dispatch/dispatch.h>
#endif
#endif
#endif

/* These enclose the declarations of functions. */
#ifdef __cplusplus
#define SC_BEGIN_DECLARATIONS extern "C" {
#define SC_END_DECLARATIONS }
#else
#define SC_BEGIN_DECLARATIONS
#define SC_END_DECLARATIONS
#endif

/* Its members are not declared here: to Swift, that would be a second type besides Glibc's. */
struct sockaddr;

#ifdef SC_OPAQUE_HANDLES

/* The types as the library itself is compiled with them. It is written in Swift, which imports these names as classes, and cannot
 * export C functions that take classes. */
typedef struct sc_opaque *sc_handle;
#define CFAllocatorRef sc_handle
#define CFStringRef sc_handle
#define CFErrorRef sc_handle
#define CFRunLoopRef sc_handle
#define dispatch_queue_t sc_handle
#define SCNetworkReachabilityRef sc_handle
typedef long CFIndex;
typedef unsigned long CFTypeID;
typedef bool Boolean;

#else

#ifndef __COREFOUNDATION_CFBASE__
/* The same declarations as in CFBase.h on Linux, which may be included later. C89 has no `bool`. */
#ifdef __GNUC__
__extension__
#endif
typedef bool Boolean;
typedef signed long CFIndex;
typedef unsigned long CFTypeID;
typedef const void *CFTypeRef;
typedef const struct __CFAllocator *CFAllocatorRef;
typedef const struct __CFString *CFStringRef;
#endif
typedef struct __CFError *CFErrorRef;
typedef struct __CFRunLoop *CFRunLoopRef;
typedef struct dispatch_queue_s *dispatch_queue_t;

/* A target. Retain and release it with CFRetain and CFRelease, or, in a program without CoreFoundation, with
 * SCNetworkReachabilityRetain and SCNetworkReachabilityRelease. */
typedef const struct __SCNetworkReachability *SCNetworkReachabilityRef;

#endif

#endif
