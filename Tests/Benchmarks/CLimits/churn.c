/* SPDX-License-Identifier: Apache-2.0 */
#include "CLimits.h"
#include "limits.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static pthread_t thread;
static atomic_bool ending;
static int churn_socket;
static int pause_in_nanoseconds;
static long changes;

/* Adds or deletes a blackhole route to 198.18.0.1, which needs no device and disturbs no other lookup. */
static int change_route(int add) {
    struct request request;
    uint32_t address = htonl(0xC6120001u);
    int type = add ? RTM_NEWROUTE : RTM_DELROUTE;
    int flags = NLM_F_ACK | (add ? NLM_F_CREATE | NLM_F_REPLACE : 0);
    memcpy(begin_request(&request, type, flags, AF_INET, 4), &address, sizeof address);
    request.route.rtm_table = RT_TABLE_MAIN;
    request.route.rtm_protocol = RTPROT_STATIC;
    request.route.rtm_type = RTN_BLACKHOLE;
    return ask(churn_socket, &request, request.header.nlmsg_len, 1);
}

/* The pace follows the clock, whatever the work itself takes. */
static void *churn(void *unused) {
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (changes = 0; !atomic_load(&ending); changes++) {
        if (change_route(changes % 2 == 0) != 0) break;
        next.tv_nsec += pause_in_nanoseconds;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    return unused;
}

int limits_start_churn(int per_second) {
    churn_socket = open_netlink();
    if (churn_socket < 0) return churn_socket;
    /* The first change is made here, so that a caller without the privilege gets the error. */
    int status = change_route(1);
    if (status == 0) {
        pause_in_nanoseconds = 1000000000 / (per_second > 1 ? per_second : 2);
        atomic_store(&ending, 0);
        /* A new thread is in the namespaces of the thread that creates it. */
        status = -pthread_create(&thread, NULL, churn, NULL);
    }
    if (status != 0) close(churn_socket);
    return status;
}

long limits_stop_churn(void) {
    atomic_store(&ending, 1);
    pthread_join(thread, NULL);
    change_route(0);
    close(churn_socket);
    return changes;
}
