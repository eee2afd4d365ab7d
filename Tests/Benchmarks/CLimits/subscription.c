/* SPDX-License-Identifier: Apache-2.0 */
#include "CLimits.h"
#include "limits.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int subscribe(struct subscription *subscription, int queue_bytes) {
    static const int groups[] = {
        RTNLGRP_LINK,        RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE,   RTNLGRP_IPV6_ROUTE,
        RTNLGRP_IPV4_RULE,   RTNLGRP_IPV6_RULE,   RTNLGRP_NEXTHOP,     RTNLGRP_IPV4_NETCONF, RTNLGRP_IPV6_NETCONF,
    };
    struct epoll_event event = {.events = EPOLLIN};
    subscription->socket = open_netlink();
    if (subscription->socket < 0) return subscription->socket;
    subscription->epoll = epoll_create1(EPOLL_CLOEXEC);
    /* The kernel raises the size to its minimum. */
    setsockopt(subscription->socket, SOL_SOCKET, SO_RCVBUF, &queue_bytes, sizeof queue_bytes);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        setsockopt(subscription->socket, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i], sizeof groups[i]);
    if (subscription->epoll >= 0 &&
        epoll_ctl(subscription->epoll, EPOLL_CTL_ADD, subscription->socket, &event) == 0)
        return 0;
    int error = errno;
    if (subscription->epoll >= 0) close(subscription->epoll);
    close(subscription->socket);
    return -error;
}

void unsubscribe(struct subscription *subscription) {
    close(subscription->epoll);
    close(subscription->socket);
}

void drain(int descriptor) {
    char scrap[16];
    while (recv(descriptor, scrap, sizeof scrap, MSG_DONTWAIT) >= 0 || errno == ENOBUFS) {
    }
}

static void check_quiet(struct subscription *subscription, int count) {
    struct epoll_event event;
    for (int i = 0; i < count; i++) {
        if (epoll_wait(subscription->epoll, &event, 1, 0) != 0) drain(subscription->socket);
    }
}

double limits_quiet_check(int count) {
    struct subscription subscription;
    int status = subscribe(&subscription, smallest_queue);
    if (status < 0) return status;
    uint64_t start = now_in_nanoseconds();
    check_quiet(&subscription, count);
    uint64_t end = now_in_nanoseconds();
    unsubscribe(&subscription);
    return (double)(end - start) / count;
}

struct checker {
    pthread_t thread;
    struct subscription *subscription;
    int count;
};

static void *check(void *argument) {
    struct checker *checker = argument;
    check_quiet(checker->subscription, checker->count);
    return NULL;
}

double limits_quiet_check_by_threads(int threads, int count) {
    struct subscription subscription;
    struct checker checkers[64];
    int status = subscribe(&subscription, smallest_queue);
    if (status < 0) return status;
    if (threads > 64) threads = 64;
    uint64_t start = now_in_nanoseconds();
    int started = 0;
    for (; started < threads && status == 0; started++) {
        checkers[started].subscription = &subscription;
        checkers[started].count = count;
        status = -pthread_create(&checkers[started].thread, NULL, check, &checkers[started]);
    }
    if (status != 0) started--;
    for (int i = 0; i < started; i++) pthread_join(checkers[i].thread, NULL);
    uint64_t end = now_in_nanoseconds();
    unsubscribe(&subscription);
    return status < 0 ? status : (double)(end - start) / ((double)count * threads);
}

static struct subscription awaited = {-1, -1};

int limits_begin_awaiting(void) {
    return subscribe(&awaited, smallest_queue);
}

void limits_await_change(void) {
    struct epoll_event event;
    while (epoll_wait(awaited.epoll, &event, 1, -1) <= 0) {
    }
    drain(awaited.socket);
}

void limits_end_awaiting(void) {
    unsubscribe(&awaited);
}

static int compare(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

double limits_lookup_after_change(int count) {
    struct subscription subscription;
    struct question question;
    struct epoll_event event;
    uint32_t state = 1;
    int descriptor = open_netlink();
    if (descriptor < 0) return descriptor;
    int status = subscribe(&subscription, smallest_queue);
    uint64_t *times = calloc((size_t)count, sizeof *times);
    if (times == NULL || status < 0) {
        if (status >= 0) unsubscribe(&subscription);
        free(times);
        close(descriptor);
        return status < 0 ? status : -ENOMEM;
    }
    begin_question(&question, AF_INET);
    for (int i = 0; i < count && status == 0; i++) {
        while (epoll_wait(subscription.epoll, &event, 1, -1) <= 0) {
        }
        set_destination(&question, random_ipv4(&state));
        uint64_t start = now_in_nanoseconds();
        drain(subscription.socket);
        status = ask(descriptor, question.datagram, 2 * question.length, 2);
        times[i] = now_in_nanoseconds() - start;
    }
    qsort(times, (size_t)count, sizeof *times, compare);
    double median = (double)times[count / 2];
    free(times);
    unsubscribe(&subscription);
    close(descriptor);
    return status < 0 ? status : median;
}
