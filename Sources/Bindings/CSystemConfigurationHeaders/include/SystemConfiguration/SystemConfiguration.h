/* SPDX-License-Identifier: Apache-2.0
 *
 * The reachability functions of Apple's SystemConfiguration framework, for Linux.
 */
#ifndef SYSTEMCONFIGURATION_SYSTEMCONFIGURATION_H
#define SYSTEMCONFIGURATION_SYSTEMCONFIGURATION_H

#include <SystemConfiguration/SCBase.h>
#include <SystemConfiguration/SCNetwork.h>
#include <SystemConfiguration/SCNetworkReachability.h>

SC_BEGIN_DECLARATIONS

/* Apple's status codes. This library uses only 0, 1001, 1002 and 4001. SCError() may also return an errno. */
enum {
    kSCStatusOK = 0,
    kSCStatusFailed = 1001,
    kSCStatusInvalidArgument = 1002,
    kSCStatusAccessError = 1003,
    kSCStatusNoKey = 1004,
    kSCStatusKeyExists = 1005,
    kSCStatusLocked = 1006,
    kSCStatusNeedLock = 1007,
    kSCStatusNoStoreSession = 2001,
    kSCStatusNoStoreServer = 2002,
    kSCStatusNotifierActive = 2003,
    kSCStatusNoPrefsSession = 3001,
    kSCStatusPrefsBusy = 3002,
    kSCStatusNoConfigFile = 3003,
    kSCStatusNoLink = 3004,
    kSCStatusStale = 3005,
    kSCStatusMaxLink = 3006,
    kSCStatusReachabilityUnknown = 4001,
    kSCStatusConnectionNoService = 5001,
    kSCStatusConnectionIgnore = 5002
};

/* Returns why a function last failed on the calling thread: a status code or an errno. A function that succeeds does not reset
 * it. */
int SCError(void);

/* Returns a sentence that describes a status code or an errno. The string is static: do not free it. */
const char *SCErrorString(int status);

/* Returns the status of SCError() as an object, which the caller releases with CFRelease. In a program without CoreFoundation it
 * returns NULL. */
CFErrorRef SCCopyLastError(void);

/* The domain of that object for a status code. For an errno it is NSPOSIXErrorDomain. */
#define kCFErrorDomainSystemConfiguration CFSTR("com.apple.SystemConfiguration")

SC_END_DECLARATIONS

#endif
