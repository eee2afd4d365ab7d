/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes one system call of the program fail, the n-th. Linking this puts functions in front of libc's, which count and then go
 * on to those. The calls of the program itself and of c-ares count, also those by syscall(2); those of Dispatch, Foundation and
 * libc do not.
 */
#ifndef CSYSTEMCALLFAULTS_H
#define CSYSTEMCALLFAULTS_H

#include <stdbool.h>

/* From here on calls are counted, and the n-th fails, with the choice-th of its errors; none if n is 0. */
void faults_begin(int n, int choice);

/* Ends that. Returns how many calls were counted. */
int faults_end(void);

/* The name and the error of the call that has failed since the beginning; NULL if none has. */
const char *faults_failed(int *error);

/* The name of the n-th counted call, and how many errors it has. */
const char *faults_call(int n, int *choices);

/* Whether the calls of this thread count, and those of the threads that it starts from now on. At first they do. Returns what
 * held before. */
bool faults_count_thread(bool counts);

/* From now on every netlink socket is refused with EPERM, or none, as a seccomp filter does it. */
void faults_refuse_netlink(bool refuses);

/* Ends the process if that lasts longer than so many seconds, and says what had failed. 0 for no limit. */
void faults_limit(unsigned seconds);

#endif
