/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CLinux.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

const char *clinux_environment(const char *name) {
    return secure_getenv(name);
}

extern const char package_commit[] __attribute__((weak));

const char *clinux_commit(void) {
    return package_commit;
}

int clinux_duplicate(int descriptor) {
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}

int clinux_above_standard_streams(int descriptor) {
    if (descriptor < 0 || descriptor > 2) return descriptor;
    int higher = clinux_duplicate(descriptor), error = errno;
    close(descriptor);
    errno = error;
    return higher;
}

int clinux_duplicate_as(int descriptor, int number) {
    return dup3(descriptor, number, O_CLOEXEC);
}

bool clinux_is_ready(int epoll) {
    struct epoll_event event;
#ifdef SYS_epoll_wait
    return syscall(SYS_epoll_wait, epoll, &event, 1, 0) != 0;
#else
    return syscall(SYS_epoll_pwait, epoll, &event, 1, 0, NULL, 0) != 0;
#endif
}

int clinux_enter_network_namespace(int descriptor) {
    return setns(descriptor, CLONE_NEWNET);
}

int clinux_is_network_namespace(int descriptor) {
    struct statfs where;
    if (fstatfs(descriptor, &where) != 0) return -1;
    return where.f_type == NSFS_MAGIC && ioctl(descriptor, NS_GET_NSTYPE) == CLONE_NEWNET;
}

int clinux_name_thread(const char *name) {
    return pthread_setname_np(pthread_self(), name);
}

int clinux_error_text(int number, char *buffer, size_t capacity) {
    if (capacity == 0) return -1;
#ifdef __GLIBC__
    const char *text = strerror_r(number, buffer, capacity); /* the GNU form may return a constant */
    if (text != buffer) {
        strncpy(buffer, text, capacity - 1);
        buffer[capacity - 1] = 0;
    }
    return 0;
#else
    return strerror_r(number, buffer, capacity) == 0 ? 0 : -1; /* that of POSIX */
#endif
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

int clinux_interface_control(const char *name, unsigned long request, uint16_t *value) {
    struct ifreq asked;
    memset(&asked, 0, sizeof asked);
    if (strlen(name) >= sizeof asked.ifr_name) {
        errno = ENODEV;
        return -1;
    }
    strcpy(asked.ifr_name, name);
    int descriptor = clinux_above_standard_streams(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (descriptor < 0) descriptor = clinux_above_standard_streams(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (descriptor < 0) return -1;
    int status = ioctl(descriptor, request, &asked), error = errno;
    close(descriptor);
    errno = error;
    if (status == 0) *value = request == SIOCGIFFLAGS ? (uint16_t)asked.ifr_flags : asked.ifr_hwaddr.sa_family;
    return status;
}

int clinux_interface_with_ipv4(uint32_t address, char *name) {
    struct ifreq *list = NULL;
    int descriptor = clinux_above_standard_streams(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    int status = -1, error = errno;
    /* The kernel tells as many as there is room for, and not whether there are more (netdevice(7)). */
    struct ifconf found = {0};
    for (int room = 64; descriptor >= 0 && status != 0; room *= 4) {
        struct ifreq *larger = realloc(list, room * sizeof *list);
        if (larger) list = larger;
        found = (struct ifconf){.ifc_len = room * sizeof *list, .ifc_req = list};
        if (!larger || ioctl(descriptor, SIOCGIFCONF, &found) != 0) {
            error = errno;
            break;
        }
        error = ENODEV;
        int count = found.ifc_len / sizeof *list;
        for (int i = 0; i < count && status != 0; i++) {
            struct sockaddr_in own;
            memcpy(&own, &list[i].ifr_addr, sizeof own);
            if (own.sin_addr.s_addr != address) continue;
            memcpy(name, list[i].ifr_name, IF_NAMESIZE);
            status = 0;
        }
        if (count < room) break;
    }
    if (descriptor >= 0) close(descriptor);
    free(list);
    errno = error;
    return status;
}

int clinux_is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static int argument_count;
static char **arguments;

/* Only glibc passes the arguments of main to constructors. */
#ifdef __GLIBC__
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
    argument_count = count;
    arguments = words;
}
#endif

char **clinux_arguments(int *count) {
    *count = argument_count;
    return arguments;
}
