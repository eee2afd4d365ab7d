/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CSystemCallFaults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

enum { most_calls = 1 << 16, most_objects = 2 };

struct call {
    const char *name;
    int choices;
};

static struct call calls[most_calls];
static atomic_int count, wanted, chosen, error_of_failure;
static atomic_bool is_counting;
static const char *_Atomic failed;
static __thread bool is_exempt;
static atomic_bool refuses_netlink;

/* MARK: Whose calls count */

/* The program and c-ares. */
static struct object {
    uintptr_t start, end;
} objects[most_objects];
static int object_count;

static int note(struct dl_phdr_info *info, size_t size, void *number) {
    (void)size;
    bool is_program = (*(int *)number)++ == 0;
    if ((!is_program && !strstr(info->dlpi_name, "/libcares.so")) || object_count == most_objects) return 0;
    struct object *object = &objects[object_count++];
    object->start = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = start + info->dlpi_phdr[i].p_memsz;
        if (start < object->start) object->start = start;
        if (end > object->end) object->end = end;
    }
    return 0;
}

__attribute__((constructor)) static void find_objects(void) {
    int number = 0;
    dl_iterate_phdr(note, &number);
}

static bool counts(const void *caller) {
    if (!atomic_load(&is_counting) || is_exempt) return false;
    for (int i = 0; i < object_count; i++)
        if ((uintptr_t)caller >= objects[i].start && (uintptr_t)caller < objects[i].end) return true;
    return false;
}

/* Counts a call. Returns the error that it fails with; 0 if it does not. */
static int failure(const char *name, const void *caller, const int errors[], int choices) {
    if (!counts(caller)) return 0;
    int number = atomic_fetch_add(&count, 1) + 1;
    if (number < most_calls) calls[number] = (struct call){name, choices};
    /* Another thread may have taken this number when it was noted. */
    int choice = atomic_load(&chosen);
    if (number != atomic_load(&wanted) || choices == 0) return 0;
    int error = errors[choice % choices];
    atomic_store(&error_of_failure, error);
    atomic_store(&failed, name);
    return error;
}

void faults_begin(int n, int choice) {
    atomic_store(&count, 0);
    atomic_store(&wanted, n);
    atomic_store(&chosen, choice);
    atomic_store(&failed, NULL);
    atomic_store(&is_counting, true);
}

int faults_end(void) {
    atomic_store(&is_counting, false);
    return atomic_load(&count);
}

const char *faults_failed(int *error) {
    const char *name = atomic_load(&failed);
    if (name) *error = atomic_load(&error_of_failure);
    return name;
}

const char *faults_call(int n, int *choices) {
    *choices = calls[n].choices;
    return calls[n].name;
}

bool faults_count_thread(bool counts) {
    bool before = !is_exempt;
    is_exempt = !counts;
    return before;
}

static void say(const char *text) {
    if (syscall(SYS_write, 2, text, strlen(text)) < 0) _exit(2);
}

/* Only calls that signal-safety(7) lists, beside strerrorname_np(3), which returns a constant. */
static void end(int signal) {
    int error = 0;
    const char *name = faults_failed(&error), *error_name = name ? strerrorname_np(error) : NULL;
    say(signal == SIGALRM ? "WRONG hangs" : "WRONG crashes");
    say(name ? " after a failure of " : " without a failure");
    say(name ? name : "");
    say(" ");
    say(error_name ? error_name : "");
    say("\n");
    _exit(1);
}

void faults_refuse_netlink(bool refuses) {
    atomic_store(&refuses_netlink, refuses);
}

void faults_limit(unsigned seconds) {
    static const int signals[] = {SIGALRM, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], end);
    alarm(seconds);
}

/* MARK: The calls. Beside each the errors of its manual page that can come of a correct call: from a lack of descriptors or
 * memory, from a signal, from a device. Those that say something of its object, as ENOENT does, are answers. */

#define COUNT(errors) (int)(sizeof(errors) / sizeof *(errors))

/* A function that fails with `bad`. The next definition of it, which is libc's, is looked for once. */
#define FUNCTION(type, name, parameters, arguments, bad, condition, ...)                                                       \
    type name parameters {                                                                                                     \
        static _Atomic(__typeof__(&name)) next;                                                                                \
        static const int errors[] = {__VA_ARGS__};                                                                             \
        int error = (condition) ? failure(#name, __builtin_return_address(0), errors, COUNT(errors)) : 0;                      \
        if (error != 0) return errno = error, bad;                                                                             \
        if (!atomic_load(&next)) atomic_store(&next, (__typeof__(&name))dlsym(RTLD_NEXT, #name));                              \
        return atomic_load(&next) arguments;                                                                                   \
    }
#define CALL(type, name, parameters, arguments, ...) FUNCTION(type, name, parameters, arguments, -1, true, __VA_ARGS__)

/* Files. */
CALL(int, stat, (const char *path, struct stat *found), (path, found), ENOMEM)
CALL(int, lstat, (const char *path, struct stat *found), (path, found), ENOMEM)
CALL(int, fstat, (int fd, struct stat *found), (fd, found), ENOMEM)
CALL(int, fstatfs, (int fd, struct statfs *found), (fd, found), EINTR, ENOMEM)
CALL(ssize_t, readlink, (const char *path, char *target, size_t size), (path, target, size), ENOMEM, EIO)
CALL(ssize_t, read, (int fd, void *bytes, size_t size), (fd, bytes, size), EINTR, EIO)

int open(const char *path, int flags, ...) {
    static const int errors[] = {EINTR, EMFILE, ENFILE, ENOMEM};
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    int error = failure("open", __builtin_return_address(0), errors, COUNT(errors));
    if (error != 0) return errno = error, -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* Descriptors. */
CALL(int, epoll_create1, (int flags), (flags), EMFILE, ENFILE, ENOMEM)
FUNCTION(
    int, epoll_ctl, (int epoll, int operation, int fd, struct epoll_event *event), (epoll, operation, fd, event), -1,
    operation == EPOLL_CTL_ADD, ENOMEM, ENOSPC)
CALL(int, epoll_wait, (int epoll, struct epoll_event *events, int most, int limit), (epoll, events, most, limit), EINTR)
CALL(int, poll, (struct pollfd *fds, nfds_t number, int limit), (fds, number, limit), EINTR, ENOMEM)
CALL(int, eventfd, (unsigned first, int flags), (first, flags), EMFILE, ENFILE, ENOMEM)
CALL(int, timerfd_create, (int clock, int flags), (clock, flags), EMFILE, ENFILE, ENOMEM)
CALL(int, inotify_init1, (int flags), (flags), EMFILE, ENFILE, ENOMEM)
CALL(int, inotify_add_watch, (int fd, const char *path, uint32_t mask), (fd, path, mask), ENOMEM, ENOSPC)
CALL(int, setns, (int fd, int type), (fd, type), ENOMEM)

/* Sockets. */
int socket(int family, int type, int protocol) {
    static _Atomic(__typeof__(&socket)) next;
    static const int errors[] = {EMFILE, ENFILE, ENOBUFS, ENOMEM};
    int error = failure("socket", __builtin_return_address(0), errors, COUNT(errors));
    if (error == 0 && family == AF_NETLINK && atomic_load(&refuses_netlink)) error = EPERM;
    if (error != 0) return errno = error, -1;
    if (!atomic_load(&next)) atomic_store(&next, (__typeof__(&socket))dlsym(RTLD_NEXT, "socket"));
    return atomic_load(&next)(family, type, protocol);
}
CALL(int, bind, (int fd, __CONST_SOCKADDR_ARG own, socklen_t size), (fd, own, size), ENOMEM)
CALL(int, connect, (int fd, __CONST_SOCKADDR_ARG peer, socklen_t size), (fd, peer, size), EAGAIN, ENOBUFS)
CALL(int, getsockname, (int fd, __SOCKADDR_ARG own, socklen_t *size), (fd, own, size), ENOBUFS)
CALL(int, getpeername, (int fd, __SOCKADDR_ARG peer, socklen_t *size), (fd, peer, size), ENOBUFS)
CALL(
    int, getsockopt, (int fd, int level, int name, void *value, socklen_t *size), (fd, level, name, value, size), ENOBUFS,
    ENOMEM)
CALL(
    int, setsockopt, (int fd, int level, int name, const void *value, socklen_t size), (fd, level, name, value, size),
    ENOBUFS, ENOMEM)
CALL(
    ssize_t, send, (int fd, const void *bytes, size_t size, int flags), (fd, bytes, size, flags), EINTR, EAGAIN, ENOBUFS,
    ENOMEM)
CALL(
    ssize_t, sendto, (int fd, const void *bytes, size_t size, int flags, __CONST_SOCKADDR_ARG peer, socklen_t length),
    (fd, bytes, size, flags, peer, length), EINTR, EAGAIN, ENOBUFS, ENOMEM)
CALL(
    ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), EINTR, EAGAIN, ENOBUFS,
    ENOMEM)
CALL(ssize_t, writev, (int fd, const struct iovec *parts, int number), (fd, parts, number), EINTR, EAGAIN, EIO)
CALL(
    ssize_t, recv, (int fd, void *bytes, size_t size, int flags), (fd, bytes, size, flags), EINTR, EAGAIN, ENOBUFS,
    ENOMEM)
CALL(
    ssize_t, recvfrom, (int fd, void *bytes, size_t size, int flags, __SOCKADDR_ARG peer, socklen_t *length),
    (fd, bytes, size, flags, peer, length), EINTR, EAGAIN, ENOBUFS, ENOMEM)
CALL(
    int, recvmmsg, (int fd, struct mmsghdr *messages, unsigned number, int flags, struct timespec *limit),
    (fd, messages, number, flags, limit), EINTR, EAGAIN, ENOBUFS, ENOMEM)

/* libc makes several system calls for each. */
FUNCTION(unsigned, if_nametoindex, (const char *name), (name), 0, true, EMFILE, ENFILE, ENOBUFS, ENOMEM)
FUNCTION(char *, if_indextoname, (unsigned index, char name[IF_NAMESIZE]), (index, name), NULL, true, EMFILE, ENFILE, ENOBUFS, ENOMEM)

int fcntl(int fd, int command, ...) {
    static _Atomic(__typeof__(&fcntl)) next;
    static const int errors[] = {EMFILE};
    va_list rest;
    va_start(rest, command);
    void *word = va_arg(rest, void *);
    va_end(rest);
    bool duplicates = command == F_DUPFD_CLOEXEC;
    int error = duplicates ? failure("fcntl(F_DUPFD)", __builtin_return_address(0), errors, COUNT(errors)) : 0;
    if (error != 0) return errno = error, -1;
    if (!atomic_load(&next)) atomic_store(&next, (__typeof__(&fcntl))dlsym(RTLD_NEXT, "fcntl"));
    return atomic_load(&next)(fd, command, word);
}

/* Asks epoll_wait(2) where that must not be a cancellation point. */
long syscall(long number, ...) {
    static _Atomic(__typeof__(&syscall)) next;
    static const int errors[] = {EINTR};
    va_list rest;
    va_start(rest, number);
    long words[6];
    for (int i = 0; i < 6; i++) words[i] = va_arg(rest, long);
    va_end(rest);
    bool is_wait = number == SYS_epoll_pwait;
#ifdef SYS_epoll_wait
    is_wait = is_wait || number == SYS_epoll_wait;
#endif
    int error = is_wait ? failure("syscall(epoll_wait)", __builtin_return_address(0), errors, COUNT(errors)) : 0;
    if (error != 0) return errno = error, -1;
    if (!atomic_load(&next)) atomic_store(&next, (__typeof__(&syscall))dlsym(RTLD_NEXT, "syscall"));
    return atomic_load(&next)(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

/* Threads. */

struct start {
    void *(*body)(void *);
    void *argument;
    bool is_exempt;
};

static void *begin(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    is_exempt = start.is_exempt;
    return start.body(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    static _Atomic(__typeof__(&pthread_create)) next;
    static const int errors[] = {EAGAIN};
    int error = failure("pthread_create", __builtin_return_address(0), errors, COUNT(errors));
    if (error != 0) return error;
    if (!atomic_load(&next)) atomic_store(&next, (__typeof__(&pthread_create))dlsym(RTLD_NEXT, "pthread_create"));
    struct start *start = malloc(sizeof *start);
    if (!start) return EAGAIN;
    *start = (struct start){body, argument, is_exempt};
    int status = atomic_load(&next)(thread, attributes, begin, start);
    if (status != 0) free(start);
    return status;
}
