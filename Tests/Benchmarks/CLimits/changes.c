/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CLimits.h"
#include "limits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static atomic_int outstanding;
static _Atomic uint64_t arrival;

void limits_arrived(void) {
    if (atomic_fetch_sub(&outstanding, 1) == 1) atomic_store(&arrival, now_in_nanoseconds());
}

int limits_open_changer(void) {
    return open_netlink();
}

void limits_close_changer(int changer) {
    close(changer);
}

double limits_time_change(int changer, const void *change, size_t length, int expected) {
    const uint64_t timeout = 5000000000u;
    atomic_store(&arrival, 0);
    atomic_store(&outstanding, expected);
    uint64_t start = now_in_nanoseconds();
    int status = ask(changer, change, length, 1);
    if (status != 0) return status;
    uint64_t end;
    while ((end = atomic_load(&arrival)) == 0) {
        if (now_in_nanoseconds() - start > timeout) return -ETIMEDOUT;
    }
    return (double)(end - start);
}

void limits_stay_on(int processor) {
    cpu_set_t processors;
    CPU_ZERO(&processors);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (processor < 0 || i == processor) CPU_SET(i, &processors);
    }
    sched_setaffinity(0, sizeof processors, &processors);
}

int start_thread(pthread_t *new, int processor, void *(*body)(void *)) {
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    limits_stay_on(processor);
    int status = -pthread_create(new, NULL, body, NULL);
    sched_setaffinity(0, sizeof before, &before);
    return status;
}

static pthread_t thread;
static struct subscription subscription;
static int ending = -1;
static int lookups_per_change;
static int lookup_socket;
static int asked_family;
static int known_status;
static int path_link;

/* Empties the queue. Returns whether it held the announcement of a link that is down. */
static int saw_link_down(void) {
    static _Alignas(8) char buffer[32768];
    int seen = 0;
    ssize_t length;
    while ((length = recv(subscription.socket, buffer, sizeof buffer, MSG_DONTWAIT)) >= 0 || errno == ENOBUFS) {
        struct nlmsghdr *header = (struct nlmsghdr *)buffer;
        for (unsigned left = length > 0 ? (unsigned)length : 0; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
            struct ifinfomsg *link = NLMSG_DATA(header);
            if (header->nlmsg_type == RTM_NEWLINK && !(link->ifi_flags & 1)) seen = 1;
        }
    }
    return seen;
}

/* Asks for the default route of each family, unbound and bound to interface `path_link`, as a path does. Returns IPv4's gateway. */
static int ask_path(void) {
    static _Alignas(8) char requests[4 * sizeof(struct request)], answer[4096];
    size_t length = 0;
    for (int i = 0; i < 4; i++) {
        int family = i < 2 ? AF_INET : AF_INET6;
        struct request request;
        inet_pton(family, i < 2 ? "0.0.0.1" : "2000::", begin_request(&request, RTM_GETROUTE, 0, family, i < 2 ? 4 : 16));
        if (i % 2 == 1) memcpy(add_attribute(&request, RTA_OIF, 4), &path_link, 4);
        memcpy(requests + length, &request, request.header.nlmsg_len);
        length += request.header.nlmsg_len;
    }
    if (send(lookup_socket, requests, length, 0) < 0) return -errno;
    int gateway = 0;
    for (int i = 0; i < 4; i++) {
        ssize_t size = recv(lookup_socket, answer, sizeof answer, MSG_DONTWAIT);
        struct nlmsghdr *header = (struct nlmsghdr *)answer;
        if (i > 0 || size < 0 || header->nlmsg_type == NLMSG_ERROR) continue;
        struct rtattr *attribute = (struct rtattr *)((char *)NLMSG_DATA(header) + sizeof(struct rtmsg));
        for (int left = (int)RTM_PAYLOAD(header); RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
            if (attribute->rta_type == RTA_GATEWAY) memcpy(&gateway, RTA_DATA(attribute), 4);
    }
    return gateway;
}

/* Asks for the route to 192.0.2.1 or 2001:db8::1. Returns 0 or -errno, which may be the kernel's refusal. */
static int ask_again(void) {
    if (path_link != 0) return ask_path();
    struct request request;
    void *destination = begin_request(&request, RTM_GETROUTE, 0, asked_family, asked_family == AF_INET ? 4 : 16);
    inet_pton(asked_family, asked_family == AF_INET ? "192.0.2.1" : "2001:db8::1", destination);
    return ask(lookup_socket, &request, request.header.nlmsg_len, 1);
}

/* A question about a link waits for whoever changes routes or links (rtnl_lock). */
static void wait_for_change(void) {
    struct {
        struct nlmsghdr header;
        struct ifinfomsg link;
    } request = {{sizeof request, RTM_GETLINK, NLM_F_REQUEST, 0, 0}, {.ifi_index = 1}};
    ask(lookup_socket, &request, sizeof request, 1);
}

static void *listen_for_changes(void *unused) {
    struct epoll_event event;
    for (;;) {
        if (epoll_wait(subscription.epoll, &event, 1, -1) <= 0) continue;
        if (event.data.fd == ending) return unused;
        if (asked_family != 0) {
            drain(subscription.socket);
            int status = ask_again();
            if (status == known_status) {
                wait_for_change();
                status = ask_again();
            }
            if (status == known_status) continue;
            known_status = status;
            limits_arrived();
        } else if (lookups_per_change == 0) {
            limits_arrived();
            drain(subscription.socket);
        } else if (saw_link_down()) {
            look_up_in_batches(lookup_socket, lookups_per_change, 64);
            limits_arrived();
        }
    }
}

static int start(int processor) {
    int status = subscribe(&subscription, roomy_queue);
    if (status < 0) return status;
    lookup_socket = open_netlink();
    if (asked_family != 0) known_status = ask_again();
    ending = eventfd(0, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = ending};
    epoll_ctl(subscription.epoll, EPOLL_CTL_ADD, ending, &event);
    return start_thread(&thread, processor, listen_for_changes);
}

int limits_start_listener(int processor, int lookups) {
    lookups_per_change = lookups;
    asked_family = 0;
    return start(processor);
}

int limits_start_asker(int processor, int family) {
    asked_family = family;
    path_link = 0;
    return start(processor);
}

int limits_start_path_asker(int processor, int link) {
    asked_family = AF_INET;
    path_link = link;
    return start(processor);
}

void limits_stop_listener(void) {
    uint64_t one = 1;
    if (write(ending, &one, sizeof one) != sizeof one) abort();
    pthread_join(thread, NULL);
    close(ending);
    close(lookup_socket);
    unsubscribe(&subscription);
}
