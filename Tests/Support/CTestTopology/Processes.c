/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CTestTopology.h"
#include "CReachabilityTesting.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

extern char **environ;

const int topology_futex = SYS_futex;
const int topology_path_only = O_PATH;

void topology_refuse_huge_pages(void) {
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status, (void)type, (void)place;
    return remove(path);
}

int topology_remove_folder(const char *path) {
    return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int topology_append_file(const char *path, const char *text, size_t length) {
    int descriptor = open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor < 0) return -1;
    ssize_t count = write(descriptor, text, length);
    int error = errno;
    close(descriptor);
    errno = count < 0 ? error : EIO;
    return count == (ssize_t)length ? 0 : -1;
}

int topology_stay_on(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

int topology_start(char *const arguments[], int ignored, int ends[3], pid_t *child) {
    int pairs[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    int error = 0;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    for (int stream = 0; stream < 3 && error == 0; stream++) {
        if (ends[stream] == topology_with_output) posix_spawn_file_actions_adddup2(&actions, 1, stream);
        if (ends[stream] != topology_piped) continue;
        /* A socket for input, so that nobody gets a SIGPIPE (MSG_NOSIGNAL, send(2)). */
        if ((stream == 0 ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pairs[0]) : pipe2(pairs[stream], O_CLOEXEC)) != 0)
            error = errno;
        else
            posix_spawn_file_actions_adddup2(&actions, pairs[stream][1], stream);
    }
    if (error == 0) error = reachability_testing_spawn(arguments, &actions, 3, ignored, 0, environ, child);
    posix_spawn_file_actions_destroy(&actions);
    for (int stream = 0; stream < 3; stream++) {
        ends[stream] = pairs[stream][0];
        if (pairs[stream][1] >= 0) close(pairs[stream][1]);
    }
    return error;
}

int topology_start_on_terminal(char *const arguments[], int columns, int rows, int *terminal, pid_t *child) {
    char name[128];
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0) return errno;
    int error = 0;
    if (grantpt(master) != 0 || unlockpt(master) != 0 || topology_resize(master, columns, rows) != 0) error = errno;
    if (error == 0) error = ptsname_r(master, name, sizeof name);
    if (error == 0) {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        /* The first terminal that a session leader opens becomes the terminal of the session (setsid(2), tty(4)). */
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0);
        posix_spawn_file_actions_adddup2(&actions, 0, 1);
        posix_spawn_file_actions_adddup2(&actions, 0, 2);
        /* A program under Thread Sanitizer needs the preloaded library that describes Swift's mutex (Scripts/sanitize). */
        char *environment[6] = {"TERM=xterm", "PATH=/usr/bin:/bin", "TZ=UTC"};
        size_t count = 3;
        for (char **entry = environ; *entry && count < 5; entry++) {
            if (strncmp(*entry, "LD_PRELOAD=", 11) == 0 || strncmp(*entry, "TSAN_OPTIONS=", 13) == 0)
                environment[count++] = *entry;
        }
        error = reachability_testing_spawn(arguments, &actions, 3, 0, POSIX_SPAWN_SETSID, environment, child);
        posix_spawn_file_actions_destroy(&actions);
    }
    *terminal = master;
    return error;
}

int topology_resize(int terminal, int columns, int rows) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    return ioctl(terminal, TIOCSWINSZ, &size);
}

int topology_is_terminal_cooked(int terminal) {
    struct termios state;
    if (tcgetattr(terminal, &state) != 0) return -1;
    return (state.c_lflag & (ECHO | ICANON | ISIG)) == (ECHO | ICANON | ISIG);
}

int topology_wait_readable(int descriptor, int timeout_milliseconds) {
    struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
    return poll(&wanted, 1, timeout_milliseconds);
}

static void (*at_fork)(void);

static void call_at_fork(void) {
    if (at_fork) at_fork();
}

/* Of the handlers, the one that was registered first is called last. Without a priority, a constructor runs later than this. */
__attribute__((constructor(101))) static void register_call_at_fork(void) {
    (void)pthread_atfork(call_at_fork, NULL, NULL);
}

void topology_call_at_fork(void (*function)(void)) {
    at_fork = function;
}
