/* SPDX-License-Identifier: Apache-2.0
 *
 * Which system calls a program makes, as the kernel sees them.
 */
#ifndef CSYSTEMCALLCOUNT_H
#define CSYSTEMCALLCOUNT_H

/* Runs a program in the namespaces of the calling thread and follows its first thread by ptrace(2). The numbers of the
 * calls between its first two calls of getppid(2) are left in `numbers`, in order, as many as there is room for. Returns
 * how many there were, or -1 with errno set; ECHILD where the program ended before. Calls that the vDSO answers without
 * the kernel, such as clock_gettime(2), are none. */
int system_calls_of(char *const arguments[], long numbers[], int capacity);

/* The calls that the package makes for its answers, by name; "?" for any other. */
const char *system_call_name(long number);

#endif
