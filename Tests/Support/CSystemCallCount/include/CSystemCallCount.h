/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces the system calls of a program.
 */
#ifndef CSYSTEMCALLCOUNT_H
#define CSYSTEMCALLCOUNT_H

/* Runs a program in the namespaces of the calling thread and traces its first thread with ptrace(2). Stores the numbers of the
 * calls between its first two calls of getppid(2) in `numbers`, in order, as many as fit. Returns how many there were; or -1
 * with errno set, which is ECHILD if the program ended before. Calls that the vDSO answers, such as clock_gettime(2), do not
 * count. */
int system_calls_of(char *const arguments[], long numbers[], int capacity);

/* The name of a call that the package makes for its answers; "?" for any other. */
const char *system_call_name(long number);

#endif
