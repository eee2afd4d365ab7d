/* SPDX-License-Identifier: Apache-2.0
 *
 * Reachability of Apple's SystemConfiguration framework, for Linux.
 */
#ifndef SYSTEMCONFIGURATION_SYSTEMCONFIGURATION_H
#define SYSTEMCONFIGURATION_SYSTEMCONFIGURATION_H

#include <SystemConfiguration/SCBase.h>
#include <SystemConfiguration/SCNetwork.h>
#include <SystemConfiguration/SCNetworkReachability.h>

SC_BEGIN_DECLARATIONS

/* Statuses. This library uses 0, 1001, 1002 and 4001 only. SCError may also return an errno. */
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

/* The calling thread's last failure. Success does not reset it. */
int SCError(void);

/* The sentence for a status or an errno. It is never freed. */
const char *SCErrorString(int status);

/* The last failure as an object, which the caller releases. NULL in a program without CoreFoundation. */
CFErrorRef SCCopyLastError(void);

/* The domain of that object. */
#define kCFErrorDomainSystemConfiguration CFSTR("com.apple.SystemConfiguration")

SC_END_DECLARATIONS

#endif
