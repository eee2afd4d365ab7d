/* SPDX-License-Identifier: Apache-2.0
 *
 * The least work with which each question can be answered at all, in C and without anything around it: what the
 * benchmarks measure the package against, in the same process and in turns, so that a busy machine is unfair to both.
 *
 * Each function works in the network namespace of the calling thread, opens what it needs before its clock starts,
 * does the work `count` times, and returns nanoseconds for one; a negative number is -errno.
 */
#ifndef CLIMITS_H
#define CLIMITS_H

/* Is nothing queued on a socket that is subscribed to all that changes routing: epoll_wait(2) without waiting. */
double limits_quiet_check(int count);

/* One IPv4 route lookup (RTM_GETROUTE) on an open socket; destinations vary. */
double limits_ipv4_lookup(int count);

/* One IPv6 lookup: the hop taken and the route matched, asked in one send; both answers are received. */
double limits_ipv6_lookup(int count);

/* Each time after a change by somebody else has come in, for which it waits off the clock: empty the subscribed
 * socket, whose receive queue is the smallest there is, and look one IPv4 destination up. The median of `count`. */
double limits_lookup_after_change(int count);

/* Another thread that adds and deletes routes to 198.18.0.0/15 (RFC 2544) without pause for `per_second` changes a
 * second, in the namespace of the caller. Wants CAP_NET_ADMIN. Returns 0 or -errno; one at a time. */
int limits_start_churn(int per_second);
/* Ends it, and tells how many changes it made. */
long limits_stop_churn(void);

#endif
