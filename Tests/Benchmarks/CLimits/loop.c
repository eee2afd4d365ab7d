/* SPDX-License-Identifier: Apache-2.0 */
#include "CLimits.h"
#include "limits.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct {
    pthread_t thread;
    int epoll;
    int ending;
    void (*process)(void *);
    void *context;
} loop;

static void *turn(void *unused) {
    struct epoll_event event;
    for (;;) {
        if (epoll_wait(loop.epoll, &event, 1, -1) <= 0) continue;
        if (event.data.fd == loop.ending) return unused;
        loop.process(loop.context);
    }
}

int limits_start_loop(int processor, int descriptor, void (*process)(void *), void *context) {
    struct epoll_event event = {.events = EPOLLIN};
    loop.process = process;
    loop.context = context;
    loop.ending = eventfd(0, EFD_CLOEXEC);
    loop.epoll = epoll_create1(EPOLL_CLOEXEC);
    event.data.fd = loop.ending;
    if (epoll_ctl(loop.epoll, EPOLL_CTL_ADD, loop.ending, &event) != 0) return -errno;
    event.data.fd = descriptor;
    if (epoll_ctl(loop.epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) return -errno;
    return start_thread(&loop.thread, processor, turn);
}

void limits_stop_loop(void) {
    uint64_t one = 1;
    if (write(loop.ending, &one, sizeof one) != sizeof one) abort();
    pthread_join(loop.thread, NULL);
    close(loop.ending);
    close(loop.epoll);
}
