/* SPDX-License-Identifier: Apache-2.0
 *
 * The dynamic store: what the kernel, resolv.conf and systemd say now, by key, and notifications of changes.
 *
 * A session belongs to the network namespace of the thread that makes it. Nothing can be written: kSCStatusAccessError.
 * Values are objects of the CoreFoundation that the program has loaded. Without it, functions that need one fail with
 * kSCStatusFailed.
 */
#ifndef SYSTEMCONFIGURATION_SCDYNAMICSTORE_H
#define SYSTEMCONFIGURATION_SCDYNAMICSTORE_H

#include <SystemConfiguration/SCBase.h>

SC_BEGIN_DECLARATIONS

/* The client's pointer, and the functions that retain and release it. `release` is called once, with the session's end. */
typedef struct {
    CFIndex version; /* 0 */
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info); /* never called */
} SCDynamicStoreContext;

typedef void (*SCDynamicStoreCallBack)(SCDynamicStoreRef store, CFArrayRef changedKeys, void *info);

CFTypeID SCDynamicStoreGetTypeID(void);

/* Open a session. The name and the allocator are ignored. */
SCDynamicStoreRef SCDynamicStoreCreate(
    CFAllocatorRef allocator, CFStringRef name, SCDynamicStoreCallBack callout, SCDynamicStoreContext *context);
SCDynamicStoreRef SCDynamicStoreCreateWithOptions(
    CFAllocatorRef allocator, CFStringRef name, CFDictionaryRef storeOptions, SCDynamicStoreCallBack callout,
    SCDynamicStoreContext *context);

/* A truth value, without effect, as nothing can be written. */
#define kSCDynamicStoreUseSessionKeys CFSTR("UseSessionKeys")

/* Makes a source for run loops, which the caller releases. While the source is in one, this returns the same source. */
CFRunLoopSourceRef SCDynamicStoreCreateRunLoopSource(CFAllocatorRef allocator, SCDynamicStoreRef store, CFIndex order);

/* Calls the callback on a queue of the libdispatch that the program has loaded. NULL ends this. */
Boolean SCDynamicStoreSetDispatchQueue(SCDynamicStoreRef store, dispatch_queue_t queue);

/* Return objects that the caller releases, or NULL; SCError() says why. A NULL store stands for a temporary session. A
 * pattern is a POSIX extended regular expression that whole keys match. */
CFArrayRef SCDynamicStoreCopyKeyList(SCDynamicStoreRef store, CFStringRef pattern);
CFPropertyListRef SCDynamicStoreCopyValue(SCDynamicStoreRef store, CFStringRef key);
CFDictionaryRef SCDynamicStoreCopyMultiple(SCDynamicStoreRef store, CFArrayRef keys, CFArrayRef patterns);

/* Return false. SCError() is kSCStatusAccessError. */
Boolean SCDynamicStoreAddValue(SCDynamicStoreRef store, CFStringRef key, CFPropertyListRef value);
Boolean SCDynamicStoreAddTemporaryValue(SCDynamicStoreRef store, CFStringRef key, CFPropertyListRef value);
Boolean SCDynamicStoreSetValue(SCDynamicStoreRef store, CFStringRef key, CFPropertyListRef value);
Boolean SCDynamicStoreSetMultiple(
    SCDynamicStoreRef store, CFDictionaryRef keysToSet, CFArrayRef keysToRemove, CFArrayRef keysToNotify);
Boolean SCDynamicStoreRemoveValue(SCDynamicStoreRef store, CFStringRef key);
Boolean SCDynamicStoreNotifyValue(SCDynamicStoreRef store, CFStringRef key);

/* Sets the keys and patterns to watch. Changes count from this call on. There is no notification of the present values. */
Boolean SCDynamicStoreSetNotificationKeys(SCDynamicStoreRef store, CFArrayRef keys, CFArrayRef patterns);

/* Returns the watched keys that have changed since the last call, or since the callback was called. */
CFArrayRef SCDynamicStoreCopyNotifiedKeys(SCDynamicStoreRef store);

SC_END_DECLARATIONS

#endif
