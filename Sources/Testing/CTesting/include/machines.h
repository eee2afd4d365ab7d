/* SPDX-License-Identifier: Apache-2.0
 *
 * System calls for networks of tests, which Swift cannot make: new namespaces, tun devices, and programs that start in the
 * namespaces of the calling thread. A function that fails returns -1 and sets errno, unless it says otherwise.
 */
#ifndef REACHABILITY_TESTING_MACHINES_H
#define REACHABILITY_TESTING_MACHINES_H

#include <spawn.h>
#include <stddef.h>
#include <sys/types.h>

/* Moves the calling thread into a new network namespace (unshare(2)). */
int reachability_testing_enter_new_network(void);

/* Opens /dev/net/tun and makes or takes a device in the calling thread's namespace (tuntap.rst in the kernel's
 * documentation). The descriptor holds the device. `layer2` means IFF_TAP instead of IFF_TUN. */
int reachability_testing_open_tun(const char *name, int layer2, int carrier);
int reachability_testing_set_link_type(int descriptor, int type);  /* TUNSETLINK, only while the link is down */
int reachability_testing_set_carrier(int descriptor, int carrier); /* TUNSETCARRIER */

/* Starts a program (posix_spawnp(3)) with no descriptors but the first `count`, which `actions` set, and without the caller's signal
 * mask. It ignores the signal `ignored`, unless that is 0. Returns 0 or an error number. */
int reachability_testing_spawn(
    char *const arguments[], posix_spawn_file_actions_t *actions, int count, int ignored, short flags,
    char *const environment[], pid_t *child);

/* Runs a program with the given input in the namespaces of the calling thread, and waits for its end. Its output and its
 * error output are in two memory files, which the caller closes. Returns the exit status, or 128 plus the number of the
 * signal that killed it. */
int reachability_testing_run(char *const arguments[], const char *input, size_t length, int *output, int *complaints);

/* Whether a child ends within some seconds. It stays a child to wait for. */
int reachability_testing_ends_within(pid_t child, int seconds);

/* Waits for a child. Returns its exit status, or 128 plus the number of the signal that killed it. */
int reachability_testing_wait_for_child(pid_t child);

#endif
