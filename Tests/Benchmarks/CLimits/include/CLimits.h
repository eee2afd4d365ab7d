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

#include <stddef.h>
#include <stdint.h>

/* Is nothing queued on a socket that is subscribed to all that changes routing: epoll_wait(2) without waiting. */
double limits_quiet_check(int count);

/* The same by several threads at once on one socket, `count` times by each; for one of all of them. */
double limits_quiet_check_by_threads(int threads, int count);

/* The same without a system call: two loads of memory that an io_uring(7) shares with the kernel. */
double limits_quiet_check_by_ring(int count);

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

/* Sleeping until something has changed, off the clock. */
int limits_begin_awaiting(void);
void limits_await_change(void);
void limits_end_awaiting(void);

/* From the send of one change, a request that wants an acknowledgement, until `limits_arrived` has been called
 * `expected` times. */
double limits_time_change(int changer, const void *change, size_t length, int expected);
/* Says that a change has arrived; from any thread. */
void limits_arrived(void);
/* A socket for changes. */
int limits_open_changer(void);
void limits_close_changer(int changer);
/* Keeps the calling thread, and those it starts, on one processor; -1 for all. */
void limits_stay_on(int processor);

/* A thread in epoll_wait(2) that calls `limits_arrived` for what is announced. With `lookups`, only when a link was
 * taken down, and after it has asked for that many routes, in batches. Returns 0 or -errno; one at a time. */
int limits_start_listener(int processor, int lookups);
void limits_stop_listener(void);

/* Many lookups, batched. */
double limits_batched_lookups(int count, int batch);

/* Changes of many routes as fast as the kernel takes them: adds or deletes `count` of one prefix length, one behind the
 * other from `first` (host order), through an IPv4 gateway or, where that is 0, of type blackhole. */
double limits_change_routes(int add, uint32_t first, int prefix_length, int count, uint32_t gateway);

/* Has this process come before others where that is allowed, so that who else is on the machine disturbs less. */
void limits_come_first(void);

/* Sleeps. */
void limits_pause(unsigned milliseconds);

/* From before a program is started until it has ended; its output goes nowhere. */
double limits_run(char *const arguments[]);

#endif
