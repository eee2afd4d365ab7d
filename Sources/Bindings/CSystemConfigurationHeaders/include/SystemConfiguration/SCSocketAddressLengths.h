/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes BSD's length members compile. Linux's addresses have none, so a length is stored in padding, or in a member
 * that is overwritten later. Include this after the system's headers and before the code that needs it.
 */
#ifndef SYSTEMCONFIGURATION_SCSOCKETADDRESSLENGTHS_H
#define SYSTEMCONFIGURATION_SCSOCKETADDRESSLENGTHS_H

#include <netinet/in.h>
#include <sys/socket.h>

/* sin_zero is padding. */
#define sin_len sin_zero[0]
/* The last byte of sa_data. In an IPv4 address it is padding; in an IPv6 address it is not family or port. */
#define sa_len sa_data[13]
/* The flow information. A program that uses it sets it after the length. */
#define sin6_len sin6_flowinfo

#endif
