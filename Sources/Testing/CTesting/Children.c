/* SPDX-License-Identifier: Apache-2.0 */
#ifdef __linux__
#define _GNU_SOURCE 1
#include "CReachabilityTesting.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* asm-generic/unistd.h, Linux 5.3; the same number everywhere */
#endif

int reachability_testing_open_memory(void) {
    return memfd_create("output", MFD_CLOEXEC);
}

int reachability_testing_open_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC | O_NONBLOCK);
}

int reachability_testing_start(
    char *const arguments[], char *const environment[], int stream, int output, pid_t *child, int *end) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    posix_spawn_file_actions_adddup2(&actions, stream, 3);
    int error = reachability_testing_spawn(arguments, &actions, 4, 0, POSIX_SPAWN_SETPGROUP, environment, child);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return error;
    *end = (int)syscall(SYS_pidfd_open, *child, 0);
    if (*end >= 0) return 0;
    error = errno;
    reachability_testing_kill(*child);
    (void)reachability_testing_wait(*child);
    return error;
}

void reachability_testing_kill(pid_t child) {
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
}

int reachability_testing_wait(pid_t child) {
    siginfo_t ended;
    /* As long as it is a zombie, its number is not another group's. */
    while (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {}
    kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -SIGKILL;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
#endif
