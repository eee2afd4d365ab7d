/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CTestTopology.h"

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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

extern char **environ;

/* The time limit of a child. A child that hangs is killed, so that its parent does not hang as well. */
enum { patience_seconds = 600 };

const int topology_futex = SYS_futex;
const int topology_path_only = O_PATH;

void topology_refuse_huge_pages(void) {
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

int topology_thread_id(void) {
    return (int)syscall(SYS_gettid);
}

static int write_file(const char *path, int flags, const char *text, size_t length) {
    int descriptor = open(path, flags | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor < 0) return -1;
    ssize_t count = write(descriptor, text, length);
    int error = errno;
    close(descriptor);
    errno = count < 0 ? error : EIO;
    return count == (ssize_t)length ? 0 : -1;
}

int topology_write_file(const char *path, const char *text, size_t length) {
    return write_file(path, 0, text, length);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status, (void)type, (void)place;
    return remove(path);
}

int topology_remove_folder(const char *path) {
    return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int topology_append_file(const char *path, const char *text, size_t length) {
    return write_file(path, O_CREAT | O_APPEND, text, length);
}

static int spawn(
    char *const arguments[], posix_spawn_file_actions_t *actions, int ignored, short flags, char **environment,
    pid_t *child) {
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    /* Other tests hold descriptors that are not close-on-exec, such as those of accept(2) and dup(2). */
    posix_spawn_file_actions_addclosefrom_np(actions, 3);
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

int topology_run(char *const arguments[], const char *text, size_t length, int *output, int *complaints) {
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
        error = spawn(arguments, &actions, 0, 0, environ, &child);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (input >= 0) close(input);
    int status = -1;
    if (error == 0) {
        status = topology_wait_for_child(child);
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

int topology_stay_on(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

int topology_ends_within(pid_t child, int seconds) {
    /* pidfd_open(2), Linux 5.3: readable when the child has ended. */
    int end = (int)syscall(SYS_pidfd_open, child, 0);
    if (end < 0) return 1;
    struct pollfd wanted = {.fd = end, .events = POLLIN};
    int ready;
    while ((ready = poll(&wanted, 1, seconds * 1000)) < 0 && errno == EINTR) {}
    close(end);
    return ready != 0;
}

int topology_wait_for_child(pid_t child) {
    int state = 0;
    if (!topology_ends_within(child, patience_seconds)) kill(child, SIGKILL);
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

int topology_start(char *const arguments[], int ignored, int *output, int *complaints, pid_t *child) {
    int results[2], problems[2];
    if (pipe2(results, O_CLOEXEC) != 0) return -1;
    if (pipe2(problems, O_CLOEXEC) != 0) {
        close(results[0]);
        close(results[1]);
        return -1;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, results[1], 1);
    posix_spawn_file_actions_adddup2(&actions, problems[1], 2);
    int error = spawn(arguments, &actions, ignored, 0, environ, child);
    posix_spawn_file_actions_destroy(&actions);
    close(results[1]);
    close(problems[1]);
    if (error != 0) {
        close(results[0]);
        close(problems[0]);
        errno = error;
        return -1;
    }
    *output = results[0];
    *complaints = problems[0];
    return 0;
}

int topology_start_on_terminal(char *const arguments[], int columns, int rows, int *terminal, pid_t *child) {
    char name[128];
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0) return -1;
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
        error = spawn(arguments, &actions, 0, POSIX_SPAWN_SETSID, environment, child);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (error != 0) {
        close(master);
        errno = error;
        return -1;
    }
    *terminal = master;
    return 0;
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
