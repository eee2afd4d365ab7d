/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that return one thing from the dynamic store. The caller releases the result. NULL means that there is none;
 * SCError() says why. A NULL store stands for a temporary session.
 */
#ifndef SYSTEMCONFIGURATION_SCDYNAMICSTORECOPYSPECIFIC_H
#define SYSTEMCONFIGURATION_SCDYNAMICSTORECOPYSPECIFIC_H

#include <SystemConfiguration/SCDynamicStore.h>

SC_BEGIN_DECLARATIONS

/* PRETTY_HOSTNAME of machine-info(5), or the host name. The encoding is UTF-8. */
CFStringRef SCDynamicStoreCopyComputerName(SCDynamicStoreRef store, CFStringEncoding *nameEncoding);

/* The host name up to its first dot. */
CFStringRef SCDynamicStoreCopyLocalHostName(SCDynamicStoreRef store);

/* The user at the machine's first seat, as systemd-logind says. `gid` is not set if the group is unknown. */
CFStringRef SCDynamicStoreCopyConsoleUser(SCDynamicStoreRef store, uint32_t *uid, uint32_t *gid);

/* Linux has no locations: NULL. */
CFStringRef SCDynamicStoreCopyLocation(SCDynamicStoreRef store);

/* The proxies that the environment names; an empty dictionary if there are none. */
CFDictionaryRef SCDynamicStoreCopyProxies(SCDynamicStoreRef store);

SC_END_DECLARATIONS

#endif
