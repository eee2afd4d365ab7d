/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CReachabilityTesting.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* linux/if_tun.h, which systems with musl do not have. Linux 5.0 has the last request, 6.0 the last flag. */
#define TUNSETIFF _IOW('T', 202, int)
#define TUNSETLINK _IOW('T', 205, int)
#define TUNSETCARRIER _IOW('T', 226, int)
enum { IFF_TUN = 0x0001, IFF_TAP = 0x0002, IFF_NO_CARRIER = 0x0040, IFF_NO_PI = 0x1000 };

/* The time limit of a child. A child that hangs is killed, so that its parent does not hang as well. */
enum { patience_seconds = 600 };

extern char **environ;

int reachability_testing_enter_new_network(void) {
    return unshare(CLONE_NEWNET);
}

int reachability_testing_open_tun(const char *name, int layer2, int carrier) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    if (strlen(name) >= sizeof request.ifr_name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(request.ifr_name, name);
    request.ifr_flags = (short)((layer2 ? IFF_TAP : IFF_TUN) | IFF_NO_PI | (carrier ? 0 : IFF_NO_CARRIER));
    int descriptor = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return -1;
    if (ioctl(descriptor, TUNSETIFF, &request) != 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

int reachability_testing_set_link_type(int descriptor, int type) {
    return ioctl(descriptor, TUNSETLINK, (unsigned long)type);
}

int reachability_testing_set_carrier(int descriptor, int carrier) {
    return ioctl(descriptor, TUNSETCARRIER, &carrier);
}

int reachability_testing_spawn(
    char *const arguments[], posix_spawn_file_actions_t *actions, int count, int ignored, short flags,
    char *const environment[], pid_t *child) {
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    /* Other tests hold descriptors that are not close-on-exec, such as those of accept(2) and dup(2). */
    posix_spawn_file_actions_addclosefrom_np(actions, count);
    posix_spawnattr_init(&attributes);
    /* The child must not inherit the signal mask of the calling thread, which may block all signals. */
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGMASK | flags));
    /* The child inherits ignored signals, but no handlers (signal(7)). */
    void (*before)(int) = ignored ? signal(ignored, SIG_IGN) : SIG_DFL;
    int error = posix_spawnp(child, arguments[0], actions, &attributes, arguments, environment);
    if (ignored) signal(ignored, before);
    posix_spawnattr_destroy(&attributes);
    return error;
}

int reachability_testing_ends_within(pid_t child, int seconds) {
    /* pidfd_open(2), Linux 5.3: readable when the child has ended. */
    int end = (int)syscall(SYS_pidfd_open, child, 0);
    if (end < 0) return 1;
    struct pollfd wanted = {.fd = end, .events = POLLIN};
    int ready;
    while ((ready = poll(&wanted, 1, seconds * 1000)) < 0 && errno == EINTR) {}
    close(end);
    return ready != 0;
}

int reachability_testing_wait_for_child(pid_t child) {
    int state = 0;
    if (!reachability_testing_ends_within(child, patience_seconds)) kill(child, SIGKILL);
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

int reachability_testing_run(char *const arguments[], const char *text, size_t length, int *output, int *complaints) {
    /* Memory files instead of pipes, so that nothing has to be read while the child writes. */
    int input = memfd_create("input", MFD_CLOEXEC);
    *output = memfd_create("output", MFD_CLOEXEC);
    *complaints = memfd_create("complaints", MFD_CLOEXEC);
    pid_t child = 0;
    int error = 0;
    if (input < 0 || *output < 0 || *complaints < 0 || write(input, text, length) != (ssize_t)length) {
        error = errno;
    } else {
        lseek(input, 0, SEEK_SET);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, input, 0);
        posix_spawn_file_actions_adddup2(&actions, *output, 1);
        posix_spawn_file_actions_adddup2(&actions, *complaints, 2);
        error = reachability_testing_spawn(arguments, &actions, 3, 0, 0, environ, &child);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (input >= 0) close(input);
    int status = -1;
    if (error == 0) {
        status = reachability_testing_wait_for_child(child);
        lseek(*output, 0, SEEK_SET);
        lseek(*complaints, 0, SEEK_SET);
    } else {
        if (*output >= 0) close(*output);
        if (*complaints >= 0) close(*complaints);
        *output = *complaints = -1;
    }
    errno = error;
    return status;
}
