/* SPDX-License-Identifier: Apache-2.0
 *
 * A machine for a test is a process in namespaces of its own. The process makes them itself, before main and so before it has a
 * second thread, because unshare(2) of a user namespace takes only a process with one thread. It does so if one of two variables
 * of the environment says so, and nothing otherwise:
 *
 * REACHABILITY_TEST_MACHINE  "make PID": the process is the child of PID for one test, and ends with it
 *                            "try PID": only to see whether the machine can be made
 *                            "net:[NUMBER]": a machine has been made, and this is its network (/proc/self/ns/net)
 * NETWORK_TESTING            "here": the process makes a machine for all the tests that it runs
 */
#ifndef CREACHABILITYTESTING_H
#define CREACHABILITYTESTING_H

#include <sys/types.h>

#include "machines.h"

/* EX_OSERR of sysexits(3): the status of a child that could not make its machine. Its error output says why. */
enum { reachability_testing_refused = 71 };

/* Whether the process has started in a network that was made for a test. */
int reachability_testing_is_own_network(void);

/* Why NETWORK_TESTING=here could not make a machine. Empty if it could, or did not have to. */
const char *reachability_testing_refusal(void);

/* Starts a program, which is found as a shell finds it, without input and in a process group of its own. Its descriptor 3 is
 * `stream`, and both of its outputs are `output`. Stores its number, and a descriptor that becomes readable when it ends
 * (pidfd_open(2)). Returns 0 or an error number. */
int reachability_testing_start(
    char *const arguments[], char *const environment[], int stream, int output, pid_t *child, int *end);

/* Kills the process and its group. It must still be waited for. */
void reachability_testing_kill(pid_t child);

/* Waits for the end of a child, after having killed what it has left behind in its process group. Returns its exit status, or the
 * negated number of the signal that ended it. */
int reachability_testing_wait(pid_t child);

/* A file in memory (memfd_create(2)). Returns -1 and sets errno if there is none. */
int reachability_testing_open_memory(void);

/* A pipe: first the end to read from, which does not block. Returns -1 and sets errno if there is none. */
int reachability_testing_open_pipe(int ends[2]);

#endif
