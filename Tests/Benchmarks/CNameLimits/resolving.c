/* SPDX-License-Identifier: Apache-2.0 */
#include "CNameLimits.h"

/* Functions that newer versions call deprecated are the only ones that 1.18 has. */
#define CARES_NO_DEPRECATED
#include <ares.h>
#include <errno.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

struct tally {
    int answered;
    int failed;
};

static void done(void *argument, int status, int timeouts, struct ares_addrinfo *result) {
    struct tally *tally = argument;
    (void)timeouts;
    tally->answered++;
    if (status != ARES_SUCCESS) tally->failed++;
    ares_freeaddrinfo(result);
}

static void begin(ares_channel channel, int number, struct tally *tally) {
    struct ares_addrinfo_hints hints = {.ai_family = AF_UNSPEC};
    char name[64];
    snprintf(name, sizeof name, "n%d.example", number);
    ares_getaddrinfo(channel, name, NULL, &hints, done, tally);
}

static void wait_for(ares_channel channel, const struct tally *tally, int count) {
    while (tally->answered < count) {
        fd_set readable, writable;
        struct timeval most, *limit;
        FD_ZERO(&readable);
        FD_ZERO(&writable);
        int descriptors = ares_fds(channel, &readable, &writable);
        limit = ares_timeout(channel, NULL, &most);
        select(descriptors, &readable, &writable, NULL, limit);
        ares_process(channel, &readable, &writable);
    }
}

static int open_channel(ares_channel *channel, int port) {
    char server[64];
    /* DNS only, without the hosts file. */
    struct ares_options options = {.lookups = "b"};
    ares_library_init(ARES_LIB_INIT_ALL);
    if (ares_init_options(channel, &options, ARES_OPT_LOOKUPS) != ARES_SUCCESS) return -EPROTO;
    snprintf(server, sizeof server, "127.0.0.1:%d", port);
    return ares_set_servers_ports_csv(*channel, server) == ARES_SUCCESS ? 0 : -EPROTO;
}

/* The answers to more questions at once would not fit into the socket's queue. */
enum { most_at_once = 100 };

static double resolve(int port, int first, int count, int under_way) {
    ares_channel channel;
    struct tally tally = {0, 0};
    if (open_channel(&channel, port) != 0) return -EPROTO;
    double start = now();
    for (int i = 0; i < count; i++) {
        begin(channel, first + i, &tally);
        wait_for(channel, &tally, i + 2 - under_way);
    }
    wait_for(channel, &tally, count);
    double end = now();
    ares_destroy(channel);
    return tally.failed > 0 ? -EPROTO : (end - start) / count;
}

double names_resolve(int port, int first, int count) {
    return resolve(port, first, count, 1);
}

double names_resolve_at_once(int port, int first, int count) {
    return resolve(port, first, count, most_at_once);
}
