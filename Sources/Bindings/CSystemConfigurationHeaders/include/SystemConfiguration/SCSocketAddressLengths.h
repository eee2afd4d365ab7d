/* SPDX-License-Identifier: Apache-2.0
 *
 * Lets code compile that sets the length members of BSD's socket addresses. Linux's addresses have no such members, so the length
 * is stored in padding, or in a member that is overwritten later. Include this header after those of the system, and before the
 * code that needs it.
 */
#ifndef SYSTEMCONFIGURATION_SCSOCKETADDRESSLENGTHS_H
#define SYSTEMCONFIGURATION_SCSOCKETADDRESSLENGTHS_H

#include <netinet/in.h>
#include <sys/socket.h>

/* In sin_zero, which is padding. */
#define sin_len sin_zero[0]
/* In the last byte of sa_data. In an IPv4 address that is padding; in an IPv6 address it is neither the family nor the port. */
#define sa_len sa_data[13]
/* In the flow information, which a program that uses it sets after the length. */
#define sin6_len sin6_flowinfo

#endif
