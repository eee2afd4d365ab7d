/* SPDX-License-Identifier: Apache-2.0
 *
 * Preferences for reading: the network settings, made from the present state of this machine, and property lists in
 * $SCPREFERENCES_DIRECTORY (/etc/SystemConfiguration). Nothing can be written. Needs a program with CoreFoundation.
 */
#ifndef SYSTEMCONFIGURATION_SCPREFERENCES_H
#define SYSTEMCONFIGURATION_SCPREFERENCES_H

#include <SystemConfiguration/SCBase.h>
#include <SystemConfiguration/SCDynamicStore.h>

SC_BEGIN_DECLARATIONS

typedef uint32_t SCPreferencesNotification;
enum { kSCPreferencesNotificationCommit = 1 << 0, kSCPreferencesNotificationApply = 1 << 1 };

/* The same members as those of a context of the dynamic store. */
typedef SCDynamicStoreContext SCPreferencesContext;
/* On Linux a change is both commit and apply. */
typedef void (*SCPreferencesCallBack)(
    SCPreferencesRef prefs, SCPreferencesNotification notificationType, void *info);

CFTypeID SCPreferencesGetTypeID(void);

/* Opens a session. A NULL prefsID stands for this machine's preferences. A file need not exist. */
SCPreferencesRef SCPreferencesCreate(CFAllocatorRef allocator, CFStringRef name, CFStringRef prefsID);

/* What is read belongs to the session until SCPreferencesSynchronize. The caller releases the list of keys. */
CFArrayRef SCPreferencesCopyKeyList(SCPreferencesRef prefs);
CFPropertyListRef SCPreferencesGetValue(SCPreferencesRef prefs, CFStringRef key);
CFDataRef SCPreferencesGetSignature(SCPreferencesRef prefs);
void SCPreferencesSynchronize(SCPreferencesRef prefs);

Boolean SCPreferencesSetCallback(
    SCPreferencesRef prefs, SCPreferencesCallBack callout, SCPreferencesContext *context);
Boolean SCPreferencesScheduleWithRunLoop(SCPreferencesRef prefs, CFRunLoopRef runLoop, CFStringRef runLoopMode);
Boolean SCPreferencesUnscheduleFromRunLoop(SCPreferencesRef prefs, CFRunLoopRef runLoop, CFStringRef runLoopMode);
Boolean SCPreferencesSetDispatchQueue(SCPreferencesRef prefs, dispatch_queue_t queue);

/* Return false. SCError() is kSCStatusAccessError. */
Boolean SCPreferencesLock(SCPreferencesRef prefs, Boolean wait);
Boolean SCPreferencesUnlock(SCPreferencesRef prefs);
Boolean SCPreferencesCommitChanges(SCPreferencesRef prefs);
Boolean SCPreferencesApplyChanges(SCPreferencesRef prefs);
Boolean SCPreferencesAddValue(SCPreferencesRef prefs, CFStringRef key, CFPropertyListRef value);
Boolean SCPreferencesSetValue(SCPreferencesRef prefs, CFStringRef key, CFPropertyListRef value);
Boolean SCPreferencesRemoveValue(SCPreferencesRef prefs, CFStringRef key);

SC_END_DECLARATIONS

#endif
