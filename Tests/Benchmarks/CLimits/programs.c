/* SPDX-License-Identifier: Apache-2.0 */
#include "CLimits.h"
#include "limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

void limits_come_first(void) {
    setpriority(PRIO_PROCESS, 0, -20);
}

double limits_run(char *const arguments[], int expected) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t child;
    int status;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    uint64_t start = now_in_nanoseconds();
    int error = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments, environ);
    while (error == 0 && waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) error = errno;
    }
    uint64_t end = now_in_nanoseconds();
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == expected)) error = EPROTO;
    return error != 0 ? -error : (double)(end - start);
}
