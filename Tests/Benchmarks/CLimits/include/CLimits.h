/* SPDX-License-Identifier: Apache-2.0
 *
 * The least work with which each question can be answered, in C: the limits with which the benchmarks compare the package.
 * Both are measured in the same process and in turns, so that a busy machine disturbs both.
 *
 * Each function works in the network namespace of the calling thread, opens what it needs before its clock starts,
 * does the work `count` times, and returns nanoseconds for one; a negative number is -errno.
 */
#ifndef CLIMITS_H
#define CLIMITS_H

#include <stddef.h>
#include <stdint.h>

/* Whether a socket subscribed to everything that changes routing is idle: epoll_wait(2) without waiting. */
double limits_quiet_check(int count);

/* The same by several threads at once on one socket, `count` times each. Nanoseconds for one of all calls. */
double limits_quiet_check_by_threads(int threads, int count);

/* One IPv4 lookup on an open socket: the chosen hop and the matching route (RTM_GETROUTE), asked in one send. Both answers are
 * received; destinations vary. */
double limits_ipv4_lookup(int count);

/* The same for IPv6. */
double limits_ipv6_lookup(int count);

/* Waits off the clock for a change by another thread. Then empties the subscribed socket, which has the smallest possible
 * receive queue, and looks up one IPv4 destination. The median of `count`. */
double limits_lookup_after_change(int count);

/* Starts a thread that adds and deletes routes to 198.18.0.0/15 (RFC 2544), `per_second` changes a second, in the
 * namespace of the caller. Needs CAP_NET_ADMIN. Returns 0 or -errno. One at a time. */
int limits_start_churn(int per_second);
/* Ends it, and returns how many changes it has made. */
long limits_stop_churn(void);

/* Sleeps, off the clock, until something has changed. */
int limits_begin_awaiting(void);
void limits_await_change(void);
void limits_end_awaiting(void);

/* From the sending of one change, a request with an acknowledgement, until `limits_arrived` was called `expected`
 * times. */
double limits_time_change(int changer, const void *change, size_t length, int expected);
/* Reports that a change has arrived. For any thread. */
void limits_arrived(void);
/* Opens a socket for changes. */
int limits_open_changer(void);
void limits_close_changer(int changer);
/* Keeps the calling thread, and those it starts, on one processor; -1 for all. */
void limits_stay_on(int processor);

/* Starts a thread in epoll_wait(2) that calls `limits_arrived` for each announcement. With `lookups`, it does so only when a
 * link was taken down, after looking up that many routes in batches. Returns 0 or -errno. One at a time. */
int limits_start_listener(int processor, int lookups);
/* Starts one that asks for the route to 192.0.2.1 or 2001:db8::1 at each announcement, and calls `limits_arrived` if the answer
 * is another than before. */
int limits_start_asker(int processor, int family);
/* The same for what a path is made of: the default routes of both families, unbound and bound to a link. */
int limits_start_path_asker(int processor, int link);
void limits_stop_listener(void);

/* Starts a thread in epoll_wait(2) that calls `process` whenever the descriptor is readable, as the event loop of a program
 * does. Returns 0 or -errno. One at a time. */
int limits_start_loop(int processor, int descriptor, void (*process)(void *), void *context);
void limits_stop_loop(void);

/* Changes many routes as fast as the kernel takes them: adds or deletes `count` consecutive ones of one prefix length from
 * `first` (host order), through an IPv4 gateway or, if that is 0, of type blackhole. */
double limits_change_routes(int add, uint32_t first, int prefix_length, int count, uint32_t gateway);

/* Gives this process a high priority if that is allowed, so that other processes disturb it less. */
void limits_come_first(void);

/* Sleeps. */
void limits_pause(unsigned milliseconds);

/* From the start of a program until its end with this status. Its output is discarded. */
double limits_run(char *const arguments[], int expected);

#endif
