/* SPDX-License-Identifier: Apache-2.0
 *
 * Preferences by their paths.
 */
#ifndef SYSTEMCONFIGURATION_SCPREFERENCESPATH_H
#define SYSTEMCONFIGURATION_SCPREFERENCESPATH_H

#include <SystemConfiguration/SCPreferences.h>

SC_BEGIN_DECLARATIONS

/* Follows links. Only dictionaries are returned. */
CFDictionaryRef SCPreferencesPathGetValue(SCPreferencesRef prefs, CFStringRef path);

/* Return NULL or false. SCError() is kSCStatusAccessError. */
CFStringRef SCPreferencesPathCreateUniqueChild(SCPreferencesRef prefs, CFStringRef prefix);
Boolean SCPreferencesPathSetValue(SCPreferencesRef prefs, CFStringRef path, CFDictionaryRef value);
Boolean SCPreferencesPathSetLink(SCPreferencesRef prefs, CFStringRef path, CFStringRef link);
Boolean SCPreferencesPathRemoveValue(SCPreferencesRef prefs, CFStringRef path);

SC_END_DECLARATIONS

#endif
