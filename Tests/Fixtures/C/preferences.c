/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads preferences, is told of a change, and cannot write.
 */
#include <CoreFoundation/CoreFoundation.h>
#include <SystemConfiguration/SystemConfiguration.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static void changed(SCPreferencesRef prefs, SCPreferencesNotification notification, void *info) {
    CHECK(CFGetTypeID(prefs) == SCPreferencesGetTypeID());
    CHECK(notification == (kSCPreferencesNotificationCommit | kSCPreferencesNotificationApply));
    ++*(int *)info;
    CFRunLoopStop(CFRunLoopGetCurrent());
}

static void machine(void) {
    SCPreferencesRef prefs = SCPreferencesCreate(NULL, CFSTR("test"), NULL);
    CHECK(prefs != NULL);
    CFStringRef set = SCPreferencesGetValue(prefs, kSCPrefCurrentSet);
    CHECK(set && CFStringHasPrefix(set, CFSTR("/Sets/")));
    CFArrayRef keys = SCPreferencesCopyKeyList(prefs);
    CHECK(keys && CFArrayGetCount(keys) == 4);
    CFRelease(keys);
    CFDictionaryRef system = SCPreferencesPathGetValue(prefs, CFSTR("/System/System"));
    CHECK(system && CFDictionaryContainsKey(system, kSCPropSystemComputerName));
    CFDictionaryRef services = SCPreferencesGetValue(prefs, kSCPrefNetworkServices);
    CHECK(services && CFGetTypeID(services) == CFDictionaryGetTypeID() && CFDictionaryGetCount(services) > 0);
    CHECK(SCPreferencesGetSignature(prefs) != NULL);
    CHECK(SCPreferencesPathGetValue(prefs, CFSTR("/CurrentSet")) == NULL && SCError() == kSCStatusNoKey);
    CHECK(!SCPreferencesLock(prefs, true) && SCError() == kSCStatusAccessError);
    CHECK(!SCPreferencesSetValue(prefs, kSCPrefCurrentSet, CFSTR("x")) && SCError() == kSCStatusAccessError);
    CHECK(!SCPreferencesGetValue(prefs, NULL) && SCError() == kSCStatusInvalidArgument);
    CFRelease(prefs);
}

static void file(const char *command) {
    int calls = 0;
    SCPreferencesContext context = {0, &calls, NULL, NULL, NULL};
    SCPreferencesRef prefs = SCPreferencesCreate(NULL, CFSTR("test"), CFSTR("some.plist"));
    CHECK(prefs && !SCPreferencesGetValue(prefs, CFSTR("Server")) && SCError() == kSCStatusNoKey);
    CHECK(SCPreferencesSetCallback(prefs, changed, &context));
    CHECK(SCPreferencesScheduleWithRunLoop(prefs, CFRunLoopGetCurrent(), kCFRunLoopDefaultMode));
    CHECK(system(command) == 0);
    CHECK(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 120, false) == kCFRunLoopRunStopped && calls == 1);
    SCPreferencesSynchronize(prefs);
    CFStringRef server = SCPreferencesGetValue(prefs, CFSTR("Server"));
    CHECK(server && CFEqual(server, CFSTR("db")));
    CHECK(SCPreferencesUnscheduleFromRunLoop(prefs, CFRunLoopGetCurrent(), kCFRunLoopDefaultMode));
    CHECK(!SCPreferencesUnscheduleFromRunLoop(prefs, CFRunLoopGetCurrent(), kCFRunLoopDefaultMode));
    CFRelease(prefs);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    machine();
    file(arguments[1]);
    CHECK(!SCPreferencesGetValue(NULL, CFSTR("x")) && SCError() == kSCStatusNoPrefsSession);
    CHECK(!SCPreferencesGetValue((CFTypeRef)CFSTR("other"), CFSTR("x")) && SCError() == kSCStatusInvalidArgument);
    CHECK(!SCPreferencesCreate(NULL, CFSTR("test"), CFSTR("../x")) && SCError() == kSCStatusInvalidArgument);
    puts("ok");
    return 0;
}
