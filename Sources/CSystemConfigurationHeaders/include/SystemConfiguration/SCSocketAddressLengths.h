/* SPDX-License-Identifier: Apache-2.0
 *
 * To be asked for: makes BSD's length members compile. Linux's addresses have none, so what is set lands in padding or
 * in a member that is overwritten later. Include it after the system's headers, and before the code that needs it.
 */
#ifndef SYSTEMCONFIGURATION_SCSOCKETADDRESSLENGTHS_H
#define SYSTEMCONFIGURATION_SCSOCKETADDRESSLENGTHS_H

#include <netinet/in.h>
#include <sys/socket.h>

/* sin_zero is padding. */
#define sin_len sin_zero[0]
/* The last byte of sa_data is padding of an IPv4 address, and outside an IPv6 address's family and port. */
#define sa_len sa_data[13]
/* Overwritten by the flow information, which nobody sets before the length; 0 for every reader but this one. */
#define sin6_len sin6_flowinfo

#endif
