/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox COMMAND [ARGUMENT...]: runs a command in a network of its own (test_sandbox_enter).
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CTestSandbox.h"

#ifndef SYS_close_range
#define SYS_close_range 436 /* asm-generic/unistd.h, Linux 5.9; the same number everywhere */
#endif

/* The statuses of a shell for a command that it cannot run. */
enum { cannot_run = 126, not_found = 127 };

/* Descriptors that the caller has open, such as those of make's job server, would be open in every program that a test starts.
 * Tests count descriptors and set limits for them. */
static void close_inherited(void) {
    if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0) return;
    for (int descriptor = 3; descriptor < 1024; descriptor++) close(descriptor);
}

int main(int count, char **arguments) {
    if (count < 2) {
        fputs("usage: sandbox COMMAND [ARGUMENT...]\n", stderr);
        return 64;
    }
    test_sandbox_enter();
    close_inherited();
    /* nohup(1) and background jobs of a shell make a program and its children ignore these signals. Tests start as on a
     * terminal. */
    signal(SIGHUP, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);

    execvp(arguments[1], arguments + 1);
    int error = errno;
    fprintf(stderr, "sandbox: %s: %s\n", arguments[1], strerror(error));
    return error == ENOENT ? not_found : cannot_run;
}
