/* SPDX-License-Identifier: Apache-2.0
 *
 * c-ares 1.18 and later. A program that was built with one version may run with another, so everything here suits the
 * library that is there when the program runs, and not only the one whose header was there when it was built.
 */
#ifndef CARES_SHIM_H
#define CARES_SHIM_H

/* Functions that newer versions call deprecated are the only ones that 1.18 has. */
#define CARES_NO_DEPRECATED
#include <ares.h>
#include <stddef.h>

/* The options of 1.34, of which older headers lack the last ones. c-ares reads a member only if its bit is set in the
 * mask, older versions ignore bits that they do not know, and the order of the members is fixed (ares_init_options(3)). */
struct cares_options {
    int flags;
    int timeout;
    int tries;
    int ndots;
    unsigned short udp_port;
    unsigned short tcp_port;
    int socket_send_buffer_size;
    int socket_receive_buffer_size;
    struct in_addr *servers;
    int nservers;
    char **domains;
    int ndomains;
    char *lookups;
    ares_sock_state_cb sock_state_cb;
    void *sock_state_cb_data;
    struct apattern *sortlist;
    int nsort;
    int ednspsz;
    char *resolvconf_path;
    char *hosts_path;
    int udp_max_queries;
    int maxtimeout;
    unsigned int qcache_max_ttl;
    int evsys;
    struct {
        unsigned short retry_chance;
        size_t retry_delay;
    } server_failover;
};

_Static_assert(
    offsetof(struct cares_options, resolvconf_path) == offsetof(struct ares_options, resolvconf_path),
    "c-ares orders its options otherwise");
/* A later version may add members at the end. Their bits are not set, so they are not read. */
#if ARES_VERSION >= 0x012200
_Static_assert(
    offsetof(struct cares_options, server_failover) == offsetof(struct ares_options, server_failover_opts)
        && sizeof(struct cares_options) <= sizeof(struct ares_options),
    "c-ares has other options");
#endif

enum {
    cares_datagram_questions = 1 << 19, /* ARES_OPT_UDP_MAX_QUERIES, since 1.20 */
    cares_maximum_timeout = 1 << 20, /* ARES_OPT_MAXTIMEOUTMS */
    cares_query_cache = 1 << 21,     /* ARES_OPT_QUERY_CACHE */
    cares_server_failover = 1 << 23, /* ARES_OPT_SERVER_FAILOVER */
};

/* Opens a channel that asks one server once for each question, keeps no answer, and reads no file.
 *
 * 1.34 reads resolv.conf, nsswitch.conf, netsvc.conf and svc.conf in this order, whatever the options say. It stops at
 * the first that it cannot open for another reason than that it does not exist. Here this is the first of them. */
static inline int cares_open(
    ares_channel *channel, int flags, int milliseconds, ares_sock_state_cb socket_state, void *data) {
    struct cares_options options = {
        .flags = flags | ARES_FLAG_NOSEARCH | ARES_FLAG_NOCHECKRESP,
        .timeout = milliseconds,
        .maxtimeout = milliseconds,
        .tries = 1,
        .ndots = 1,
        .lookups = (char *)"b",
        .resolvconf_path = (char *)"/dev/null/none",
        .sock_state_cb = socket_state,
        .sock_state_cb_data = data,
        /* Whoever forges answers has to guess the port of a question (RFC 5452), so not many leave from one port. */
        .udp_max_queries = 16,
    };
    int mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_NDOTS | ARES_OPT_SERVERS |
               ARES_OPT_DOMAINS | ARES_OPT_LOOKUPS | ARES_OPT_SORTLIST | ARES_OPT_SOCK_STATE_CB | ARES_OPT_NOROTATE |
               ARES_OPT_RESOLVCONF | cares_datagram_questions | cares_maximum_timeout | cares_query_cache | cares_server_failover;
    return ares_init_options(channel, (struct ares_options *)&options, mask);
}

/* The version of the library that is there, as in ARES_VERSION. It may be another than that of libcares.so.2: the loader takes the
 * functions of a program that exports a c-ares of its own, as node does. */
static inline int cares_version(void) {
    int version = 0;
    ares_version(&version);
    return version;
}

/* Whether this header suits that library, and that library is whole. A program may contain what it uses of a c-ares, and no more.
 * The loader takes those functions of it, and the others of libcares.so.2, to which the channels of the first mean nothing. */
static inline int cares_fits(int (*are_of_one_object)(const void *const *functions, int count)) {
    const void *const functions[] = {
        (const void *)ares_version, (const void *)ares_library_init, (const void *)ares_init_options,
        (const void *)ares_set_servers_ports, (const void *)ares_set_socket_functions, (const void *)ares_query,
        (const void *)ares_process_fd, (const void *)ares_cancel, (const void *)ares_destroy};
    return cares_version() >= 0x011200 && cares_version() >> 16 == ARES_VERSION_MAJOR
        && are_of_one_object(functions, sizeof functions / sizeof *functions);
}

/* ares_process_fds(3), since 1.34. A weak symbol is null in a library that lacks it. */
#if ARES_VERSION < 0x012200
typedef struct {
    ares_socket_t fd;
    unsigned int events;
} ares_fd_events_t;
int ares_process_fds(ares_channel channel, const ares_fd_events_t *events, size_t count, unsigned int flags)
    __attribute__((weak));
enum { ARES_FD_EVENT_READ = 1, ARES_FD_EVENT_WRITE = 2, ARES_PROCESS_FLAG_SKIP_NON_FD = 1 };
#else
extern __typeof__(ares_process_fds) ares_process_fds __attribute__((weak));
#endif

/* Reads from a socket, writes to it, or both, and lets no question time out if the library can do the one without the
 * other: since 1.32 it measures its servers, and gives a question no more than five times what the last ones took. */
static inline void cares_process(ares_channel channel, ares_socket_t descriptor, int reads, int writes) {
    /* An older one that a program exports may stand before a newer one that has this function. */
    if (cares_version() >= 0x012200 && ares_process_fds) {
        ares_fd_events_t event = {
            descriptor,
            (reads ? (unsigned)ARES_FD_EVENT_READ : 0) | (writes ? (unsigned)ARES_FD_EVENT_WRITE : 0)};
        ares_process_fds(channel, &event, 1, ARES_PROCESS_FLAG_SKIP_NON_FD);
    } else {
        ares_process_fd(channel, reads ? descriptor : ARES_SOCKET_BAD, writes ? descriptor : ARES_SOCKET_BAD);
    }
}

#endif
