/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIMITS_H
#define LIMITS_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <pthread.h>
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

/* Begins a request about one destination. Returns where the destination's bytes belong. */
void *begin_request(struct request *request, int type, int flags, int family, int address_length);

/* Adds an attribute. Returns where its bytes belong. */
void *add_attribute(struct request *request, int type, int length);

/* The two requests about one destination, one behind the other: for the hop that is chosen, and for the route in its table. */
struct question {
    char datagram[2 * sizeof(struct request)] __attribute__((aligned(8)));
    size_t length; /* of one of them */
};

void begin_question(struct question *question, int family);
/* Sets the last four bytes of the destination. */
void set_destination(struct question *question, uint32_t word);

/* Sends requests and receives their answers. Returns 0 or -errno, which may be the kernel's refusal. */
int ask(int descriptor, const void *requests, size_t length, int answers);

/* Differs with each lookup (xorshift, Marsaglia 2003), so that no cached route is used. */
uint32_t next_random(uint32_t *state);
/* A global unicast address in network order, outside the churn's prefix. */
uint32_t random_ipv4(uint32_t *state);

uint64_t now_in_nanoseconds(void);

/* Starts a thread on a processor, or on any if that is negative. Returns 0 or -errno. */
int start_thread(pthread_t *thread, int processor, void *(*body)(void *));

/* A socket subscribed to everything that changes routing, in its own epoll instance. */
struct subscription {
    int socket;
    int epoll;
};

enum { smallest_queue = 1, roomy_queue = 1 << 20 };

int subscribe(struct subscription *subscription, int queue_bytes);
void unsubscribe(struct subscription *subscription);
/* Receives until the queue is empty. The kernel drops announcements while it is full. */
void drain(int descriptor);

/* 0 or -errno. */
int look_up_in_batches(int descriptor, int count, int batch);

#endif
