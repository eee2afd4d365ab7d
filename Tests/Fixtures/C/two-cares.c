/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that contains a whole c-ares, as one with a vendored copy does, and uses it beside the library: it asks the name
 * server at 127.0.0.1:PORT for names with both, in turns and at once, and prints whose c-ares the loader gives to the library.
 */
#define _GNU_SOURCE 1
/* The old functions, which all versions have. */
#define CARES_NO_DEPRECATED
#include <ares.h>
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <reachability.h>
#include <string.h>

#include "check.h"

enum { rounds = 20 };
static const char *port;

static void on_answer(void *answer, int status, int timeouts, struct hostent *host) {
    (void)timeouts;
    CHECK(status == ARES_SUCCESS && host->h_addrtype == AF_INET);
    memcpy(answer, host->h_addr_list[0], sizeof(struct in_addr));
}

/* The program's own way. */
static void ask_itself(const char *name) {
    struct ares_options options = {.flags = ARES_FLAG_NOSEARCH, .lookups = (char *)"b"};
    struct ares_addr_port_node server = {.family = AF_INET, .udp_port = atoi(port), .tcp_port = atoi(port)};
    struct in_addr answer = {0};
    ares_channel channel;

    server.addr.addr4.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(ares_init_options(&channel, &options, ARES_OPT_FLAGS | ARES_OPT_LOOKUPS) == ARES_SUCCESS);
    CHECK(ares_set_servers_ports(channel, &server) == ARES_SUCCESS);
    ares_gethostbyname(channel, name, AF_INET, on_answer, &answer);
    while (!answer.s_addr) {
        ares_socket_t sockets[ARES_GETSOCK_MAXNUM];
        int bits = ares_getsock(channel, sockets, ARES_GETSOCK_MAXNUM), i;
        struct timeval limit = {2, 0};
        struct pollfd polls[ARES_GETSOCK_MAXNUM];
        nfds_t count = 0;

        for (i = 0; i < ARES_GETSOCK_MAXNUM; i++)
            if (ARES_GETSOCK_READABLE(bits, i)) polls[count++] = (struct pollfd){.fd = sockets[i], .events = POLLIN};
        ares_timeout(channel, &limit, &limit);
        poll(polls, count, limit.tv_sec * 1000 + limit.tv_usec / 1000 + 1);
        for (i = 0; i < (int)count; i++) ares_process_fd(channel, polls[i].fd, ARES_SOCKET_BAD);
        ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    }
    CHECK(answer.s_addr == inet_addr("10.0.0.7"));
    ares_destroy(channel);
}

static void ask_library(const char *name) {
    char server[64];
    const char *servers[] = {server, NULL};
    reachability_options options = REACHABILITY_OPTIONS_INIT;
    reachability_target *target;
    reachability_error error;
    unsigned int flags;

    snprintf(server, sizeof server, "127.0.0.1:%s", port);
    options.name_servers = servers;
    CHECK(reachability_target_create(name, &options, &target, &error) == REACHABILITY_OK);
    if (reachability_target_get_flags(target, &flags, NULL, &error) != REACHABILITY_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    CHECK(flags == (REACHABILITY_REACHABLE | REACHABILITY_IS_DIRECT));
    reachability_target_free(target);
}

static void *keep_asking(void *context) {
    char name[64];
    int i;
    for (i = 0; i < rounds; i++) {
        snprintf(name, sizeof name, "other-%d.test", i);
        ask_library(name);
    }
    return context;
}

int main(int count, char **words) {
    pthread_t thread;
    char name[64];
    int i;

    CHECK(count == 2);
    port = words[1];
    /* Each ends what it began. What the other has begun goes on. */
    CHECK(ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS);
    ask_itself("own.test");
    ask_library("own.test");
    ares_library_cleanup();
    ask_library("after.test");
    CHECK(ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS);
    CHECK(pthread_create(&thread, NULL, keep_asking, NULL) == 0);
    for (i = 0; i < rounds; i++) {
        snprintf(name, sizeof name, "own-%d.test", i);
        ask_itself(name);
    }
    CHECK(pthread_join(thread, NULL) == 0);
    ares_library_cleanup();
    ask_library("last.test");
    puts(dlsym(RTLD_DEFAULT, "ares_version") == (void *)ares_version ? "the program's" : "another");
    return 0;
}
