/* SPDX-License-Identifier: Apache-2.0
 *
 * What the test topologies need of the kernel beyond CLinux: new namespaces, tun devices, and children that start in
 * the namespace of the calling thread. Every function returns -1 and sets errno where it fails.
 */
#ifndef CTESTTOPOLOGY_H
#define CTESTTOPOLOGY_H

#include <linux/fib_rules.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* unshare(2): a new network namespace for the calling thread alone. */
int topology_enter_new_network(void);

/* The same with a mount namespace of its own, in which /sys shows the new network namespace: sysfs belongs to the
 * namespace it was mounted in (sysfs(5)), so a thread that merely moved would read another namespace's links. */
int topology_enter_new_network_with_sysfs(void);

/* gettid(2), under which /proc/self/task lists the calling thread. */
int topology_thread_id(void);

/* Writes a file that exists, such as one under /proc/sys/net, which shows the namespace of the thread that opens it. */
int topology_write_file(const char *path, const char *text, size_t length);

/* Appends to a file in one write(2), so that lines of several processes never mix. */
int topology_append_file(const char *path, const char *text, size_t length);

/* Opens /dev/net/tun and makes or takes a device of the calling thread's namespace (tuntap.rst in the kernel's
 * documentation); the descriptor holds it. IFF_TAP instead of IFF_TUN where layer2 is set. */
int topology_open_tun(const char *name, int layer2, int carrier);
int topology_set_link_type(int descriptor, int type);  /* TUNSETLINK, only while the link is down */
int topology_set_carrier(int descriptor, int carrier); /* TUNSETCARRIER */

/* Runs a program to its end with the given text as its input, in the namespaces of the calling thread. Its output and
 * its complaints are left in two memory files, whose descriptors the caller closes. Returns the exit status, 128 and
 * the signal's number where it was killed. */
int topology_run(char *const arguments[], const char *input, size_t length, int *output, int *complaints);

/* fork(2): a child that runs body(context) and ends at once with what that returns (_exit(2)). Returns its number. */
pid_t topology_fork(int (*body)(void *context), void *context);

/* waitpid(2): the child's exit status, 128 and the signal's number where it was killed. */
int topology_wait_for_child(pid_t child);

/* Starts a program in the namespaces of the calling thread, with nothing to read, and leaves the ends of two pipes
 * from which its output and complaints come. `ignored` is a signal it is to ignore, or 0. */
int topology_start(char *const arguments[], int ignored, int *output, int *complaints, pid_t *child);

/* The same on a terminal of its own with the given size, of which the other end is left: what is written there is
 * typed, Ctrl-C and all. */
int topology_start_on_terminal(char *const arguments[], int columns, int rows, int *terminal, pid_t *child);
int topology_resize(int terminal, int columns, int rows);

/* Whether the terminal echoes, reads lines, and turns Ctrl-C into a signal, as it does when it is new. */
int topology_is_terminal_cooked(int terminal);

/* poll(2) for input on one descriptor: 1 where there is some, 0 at the timeout. */
int topology_wait_readable(int descriptor, int timeout_milliseconds);

/* A UDP socket of the calling thread's namespace and of a user, with a mark where that is not 0 and a source where that is
 * not NULL, for destinations of the family of `destination`. Returns the descriptor, or the negated error number where
 * the kernel refuses one of them. */
int topology_udp_socket(const char *destination, const char *source, uint32_t mark, uid_t user);

/* Connects it, which looks a route up and sends nothing (udp(7)), and writes the address it would send from. Returns 0, or
 * the error number of connect(2). May be called again. */
int topology_udp_connect(int descriptor, const char *destination, char *source, size_t size);

/* Opens a netlink socket in the calling thread's namespace that hears of what decides routing, and to which the kernel
 * takes some microseconds to say anything: it runs a long filter, which keeps everything back. Returns the descriptor, or
 * the negated error number. */
int topology_open_slow_listener(void);

/* Sends netlink messages to a port that is not the kernel's, or to all members of a group, `times` over, from a socket of
 * the calling thread's namespace; wants CAP_NET_ADMIN (netlink_allowed in net/netlink/af_netlink.c). Returns how many were
 * taken, or, where none was, the negated error number of the last. */
int topology_forge_netlink(uint32_t port, uint32_t group, const void *bytes, size_t length, int times);

#endif
