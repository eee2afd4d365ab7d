/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIMITS_H
#define LIMITS_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>

#ifndef RTM_F_FIB_MATCH
#define RTM_F_FIB_MATCH 0x2000 /* linux/rtnetlink.h, Linux 4.13 */
#endif

/* A route request with room for its attributes. */
struct request {
    struct nlmsghdr header;
    struct rtmsg route;
    char attributes[32];
};

/* An open and bound NETLINK_ROUTE socket, or -errno. */
int open_netlink(void);

/* Begins a request about one destination, whose bytes are at the pointer returned. */
void *begin_request(struct request *request, int type, int flags, int family, int address_length);

/* Sends requests and takes their answers; 0, or -errno, also the kernel's where it refuses. */
int ask(int descriptor, const void *requests, size_t length, int answers);

/* Varies from lookup to lookup (xorshift, Marsaglia 2003), so that no route cached for one is asked for again. */
uint32_t next_random(uint32_t *state);
/* In network order: global unicast, outside of the churn's prefix. */
uint32_t random_ipv4(uint32_t *state);

uint64_t now_in_nanoseconds(void);

/* A socket on which everything is announced that changes routing, in an epoll instance of its own. */
struct subscription {
    int socket;
    int epoll;
};

enum { smallest_queue = 1, roomy_queue = 1 << 20 };

int subscribe(struct subscription *subscription, int queue_bytes);
void unsubscribe(struct subscription *subscription);
/* Until the queue is found empty: a full one has the kernel drop announcements. */
void drain(int descriptor);

/* 0 or -errno. */
int look_up_in_batches(int descriptor, int count, int batch);

#endif
