/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CLinux.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

int clinux_open(const char *path, int flags, mode_t mode) {
    return open(path, flags, mode);
}

const char *clinux_environment(const char *name) {
    return secure_getenv(name);
}

int clinux_duplicate(int descriptor) {
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

int clinux_ioctl_pointer(int descriptor, unsigned long request, void *argument) {
    return ioctl(descriptor, request, argument);
}

int clinux_enter_network_namespace(int descriptor) {
    return setns(descriptor, CLONE_NEWNET);
}

int clinux_name_thread(const char *name) {
    return pthread_setname_np(pthread_self(), name);
}

int clinux_error_text(int number, char *buffer, size_t capacity) {
    if (capacity == 0) return -1;
    const char *text = strerror_r(number, buffer, capacity); /* the GNU form may return a constant */
    if (text != buffer) {
        strncpy(buffer, text, capacity - 1);
        buffer[capacity - 1] = 0;
    }
    return 0;
}

int clinux_bind_netlink(int descriptor) {
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

int clinux_connect_netlink(int descriptor) {
    struct sockaddr_nl kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.nl_family = AF_NETLINK;
    return connect(descriptor, (struct sockaddr *)&kernel, sizeof kernel);
}

ssize_t clinux_receive_netlink(int descriptor, void *buffer, size_t capacity, uint32_t *sender_port) {
    struct sockaddr_nl sender;
    socklen_t length = sizeof sender;
    ssize_t count =
        recvfrom(descriptor, buffer, capacity, MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&sender, &length);
    *sender_port = count >= 0 && length == sizeof sender ? sender.nl_pid : UINT32_MAX;
    return count;
}

ssize_t clinux_receive_several(int descriptor, void *buffer, size_t slot_size, unsigned slots, uint32_t *lengths) {
    struct mmsghdr headers[CLINUX_MOST_SLOTS];
    struct iovec vectors[CLINUX_MOST_SLOTS];
    if (slots > CLINUX_MOST_SLOTS) slots = CLINUX_MOST_SLOTS;
    memset(headers, 0, slots * sizeof headers[0]);
    for (unsigned i = 0; i < slots; i++) {
        vectors[i] = (struct iovec){(char *)buffer + i * slot_size, slot_size};
        headers[i].msg_hdr.msg_iov = &vectors[i];
        headers[i].msg_hdr.msg_iovlen = 1;
    }
    int count = recvmmsg(descriptor, headers, slots, MSG_DONTWAIT | MSG_TRUNC, NULL);
    for (int i = 0; i < count; i++) lengths[i] = headers[i].msg_len;
    return count;
}

int clinux_bind_internet(int descriptor, const uint8_t *address, size_t length, uint32_t scope) {
    if (length == 4) {
        struct sockaddr_in local;
        memset(&local, 0, sizeof local);
        local.sin_family = AF_INET;
        memcpy(&local.sin_addr, address, 4);
        return bind(descriptor, (struct sockaddr *)&local, sizeof local);
    }
    struct sockaddr_in6 local;
    memset(&local, 0, sizeof local);
    local.sin6_family = AF_INET6;
    local.sin6_scope_id = scope;
    memcpy(&local.sin6_addr, address, 16);
    return bind(descriptor, (struct sockaddr *)&local, sizeof local);
}

int clinux_connect_internet(int descriptor, const void *address, socklen_t length, uint32_t scope) {
    struct sockaddr_in6 remote;
    if (length > sizeof remote) {
        errno = EINVAL;
        return -1;
    }
    memcpy(&remote, address, length);
    if (remote.sin6_family == AF_INET6 && length == sizeof remote && scope != 0) remote.sin6_scope_id = scope;
    return connect(descriptor, (struct sockaddr *)&remote, length);
}

ssize_t clinux_send_vector(int descriptor, const void *vector, int count) {
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = (struct iovec *)vector;
    message.msg_iovlen = (size_t)count;
    return sendmsg(descriptor, &message, MSG_NOSIGNAL);
}

int clinux_init_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    int status = pthread_condattr_init(&attributes);
    if (status != 0) return status;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    status = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return status;
}

int clinux_probe_internet(
    int descriptor, const uint8_t *destination, size_t length, uint32_t scope, uint8_t *source) {
    struct sockaddr_storage address;
    socklen_t size = length == 4 ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    struct sockaddr_in *v4 = (struct sockaddr_in *)&address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&address;
    int yes = 1;
    /* Without it, connect(2) to a broadcast address fails with EACCES, as it does for a prohibiting route. */
    setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
    memset(&address, 0, sizeof address);
    if (length == 4) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(9); /* discard; nothing is sent */
        memcpy(&v4->sin_addr, destination, 4);
    } else {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(9);
        v6->sin6_scope_id = scope;
        memcpy(&v6->sin6_addr, destination, 16);
    }
    if (connect(descriptor, (struct sockaddr *)&address, size) != 0) return -1;
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return -1;
    if (length == 4) memcpy(source, &v4->sin_addr, 4);
    else memcpy(source, &v6->sin6_addr, 16);
    return 0;
}

int clinux_interface_control(const char *name, unsigned long request, uint16_t *value) {
    struct ifreq asked;
    memset(&asked, 0, sizeof asked);
    if (strlen(name) >= sizeof asked.ifr_name) {
        errno = ENODEV;
        return -1;
    }
    strcpy(asked.ifr_name, name);
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) descriptor = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    int status = ioctl(descriptor, request, &asked);
    close(descriptor);
    if (status == 0) *value = request == SIOCGIFFLAGS ? (uint16_t)asked.ifr_flags : asked.ifr_hwaddr.sa_family;
    return status;
}

int clinux_interface_with_ipv4(uint32_t address, char *name) {
    enum { most = 1024 };
    struct ifreq *list = calloc(most, sizeof *list);
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int status = -1;
    if (list && descriptor >= 0) {
        struct ifconf found = {.ifc_len = most * sizeof *list, .ifc_req = list};
        if (ioctl(descriptor, SIOCGIFCONF, &found) == 0) {
            for (size_t i = 0; i < found.ifc_len / sizeof *list; i++) {
                struct sockaddr_in own;
                memcpy(&own, &list[i].ifr_addr, sizeof own);
                if (own.sin_addr.s_addr != address) continue;
                memcpy(name, list[i].ifr_name, IF_NAMESIZE);
                status = 0;
                break;
            }
        }
    }
    if (descriptor >= 0) close(descriptor);
    free(list);
    return status;
}

int clinux_is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

long clinux_clock_ticks(void) {
    return sysconf(_SC_CLK_TCK);
}

static socklen_t clinux_fill_address(
    struct sockaddr_storage *storage, const uint8_t *address, size_t length, uint16_t port, uint32_t scope) {
    memset(storage, 0, sizeof *storage);
    if (length == 4) {
        struct sockaddr_in *v4 = (struct sockaddr_in *)storage;
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        memcpy(&v4->sin_addr, address, 4);
        return sizeof *v4;
    }
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)storage;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    v6->sin6_scope_id = scope;
    memcpy(&v6->sin6_addr, address, 16);
    return sizeof *v6;
}

int clinux_connect_stream(int descriptor, const uint8_t *address, size_t length, uint16_t port, uint32_t scope) {
    struct sockaddr_storage remote;
    socklen_t size = clinux_fill_address(&remote, address, length, port, scope);
    return connect(descriptor, (struct sockaddr *)&remote, size);
}

int clinux_own_end(int descriptor, uint8_t *address, uint16_t *port, uint32_t *scope) {
    struct sockaddr_storage local;
    socklen_t size = sizeof local;
    if (getsockname(descriptor, (struct sockaddr *)&local, &size) != 0) return -1;
    if (local.ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)&local;
        memcpy(address, &v4->sin_addr, 4);
        *port = ntohs(v4->sin_port);
        return 4;
    }
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&local;
    memcpy(address, &v6->sin6_addr, 16);
    *port = ntohs(v6->sin6_port);
    *scope = v6->sin6_scope_id;
    return 16;
}

int clinux_reset_on_close(int descriptor) {
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    return setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

static int argument_count;
static char **arguments;

__attribute__((constructor)) static void keep_arguments(int count, char **words) {
    argument_count = count;
    arguments = words;
}

char **clinux_arguments(int *count) {
    *count = argument_count;
    return arguments;
}

static _Atomic uint64_t fork_epoch;
static int fork_observation;

static void count_fork(void) {
    atomic_fetch_add_explicit(&fork_epoch, 1, memory_order_relaxed);
}

static void register_fork_handler(void) {
    fork_observation = pthread_atfork(NULL, NULL, count_fork);
}

int clinux_observe_forks(void) {
    /* In the child of a fork, pthread_once(3) never waits for a thread of the parent (fork generations in glibc's
     * nptl/pthread_once.c). Other ways to do something once may. */
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status = pthread_once(&once, register_fork_handler);
    return status != 0 ? status : fork_observation;
}

uint64_t clinux_fork_epoch(void) {
    return atomic_load_explicit(&fork_epoch, memory_order_relaxed);
}

int clinux_connect_unix(int descriptor, const uint8_t *name, size_t length, int is_abstract) {
    struct sockaddr_un remote;
    memset(&remote, 0, sizeof remote);
    remote.sun_family = AF_UNIX;
    if (length == 0 || length >= sizeof remote.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(remote.sun_path + (is_abstract ? 1 : 0), name, length);
    /* The length includes the closing zero of a path, or the leading zero of an abstract name (unix(7)). */
    return connect(descriptor, (struct sockaddr *)&remote, offsetof(struct sockaddr_un, sun_path) + length + 1);
}

int clinux_unix_peer(int descriptor, uint8_t *name) {
    struct sockaddr_un remote;
    socklen_t size = sizeof remote;
    if (getpeername(descriptor, (struct sockaddr *)&remote, &size) != 0) return -1;
    size_t length = size > offsetof(struct sockaddr_un, sun_path) ? size - offsetof(struct sockaddr_un, sun_path) : 0;
    if (length > sizeof remote.sun_path) length = sizeof remote.sun_path;
    memcpy(name, remote.sun_path, length);
    return (int)length;
}
