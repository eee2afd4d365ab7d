/* SPDX-License-Identifier: Apache-2.0
 *
 * System calls for tests, beyond CLinux and CTesting: children on pipes and terminals, sockets, forged messages. A function
 * that fails returns -1 and sets errno, unless it says otherwise.
 */
#ifndef CTESTTOPOLOGY_H
#define CTESTTOPOLOGY_H

#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Moves the calling thread into a new network namespace, and into a new mount namespace in which /sys shows that network. A sysfs
 * belongs to the namespace in which it was mounted (sysfs(5)), so otherwise /sys would show the links of another namespace. */
int topology_enter_new_network_with_sysfs(void);

/* The number of futex(2). */
extern const int topology_futex;

/* O_PATH of open(2), which Swift does not import. */
extern const int topology_path_only;

/* Lets the kernel give this process no more huge pages of its own accord (PR_SET_THP_DISABLE, prctl(2)). */
void topology_refuse_huge_pages(void);

/* Appends to a file with one write(2), so that lines of several processes never mix. */
int topology_append_file(const char *path, const char *text, size_t length);

/* Removes a folder and all that is in it (nftw(3)). */
int topology_remove_folder(const char *path);

/* Has the calling thread run on one processor alone from now on. Returns -1 if it may not run there. */
int topology_stay_on(int processor);

/* What a standard stream of a program is: nothing for input and this process's own for errors, a pipe, or the same as output. */
enum { topology_unchanged = -1, topology_piped = -2, topology_with_output = -3 };

/* Starts a program in the namespaces of the calling thread. `ends` says what its standard streams are, and becomes the other ends
 * of the pipes, and -1 where there is none; that of the input is a socket. The program ignores the signal `ignored`, unless that
 * is 0. Returns 0 or an error number. */
int topology_start(char *const arguments[], int ignored, int ends[3], pid_t *child);

/* The same on a new terminal of the given size. Stores the other end of the terminal: bytes that are written there are typed,
 * including Ctrl-C. */
int topology_start_on_terminal(char *const arguments[], int columns, int rows, int *terminal, pid_t *child);
int topology_resize(int terminal, int columns, int rows);

/* Whether the terminal echoes, reads lines, and turns Ctrl-C into a signal, like a new one. */
int topology_is_terminal_cooked(int terminal);

/* Waits for input with poll(2). Returns 1 if there is some, 0 at the timeout. */
int topology_wait_readable(int descriptor, int timeout_milliseconds);

/* Makes a user the owner of files and sockets that the calling thread makes, until it is called again (setfsuid(2)). */
void topology_become_user_of_files(uid_t user);

/* Opens a socket of a user, or of the calling thread's if the user is -1, in the calling thread's namespace, for
 * destinations of the family of `destination`. Sets the mark unless it is 0, and the interface and the source unless they
 * are NULL. Returns the descriptor, or a negated error number. */
int topology_socket(
    const char *destination, int type, const char *source, const char *interface, uint32_t mark, uid_t user);

/* Connects the socket, without waiting for an answer, and stores the source address, and the MTU of the route that it took
 * (IP_MTU, ip(7)). Sends nothing if it is a UDP socket (udp(7)). Returns 0 or the error number of connect(2). May be called
 * again if the socket has no interface. */
int topology_connect(int descriptor, const char *destination, uint16_t port, char *source, size_t size, int *mtu);

/* Advertises this machine as a router for so many seconds, and the prefix 2001:db8:7::/64, from the link-local address of the
 * interface (RFC 4861 4.2, RFC 4862). Returns 0 or an error number. */
int topology_advertise(const char *interface, uint16_t lifetime);

/* Opens a netlink socket in the calling thread's namespace that subscribes to changes of routing. Each announcement to it takes
 * the kernel some microseconds, because a long filter runs and drops it. Returns the descriptor, or a negated error number. */
int topology_open_slow_listener(void);

/* Sends netlink messages `times` times to a port other than the kernel's, or to all members of a group, from a socket in the
 * calling thread's namespace. Needs CAP_NET_ADMIN (netlink_allowed in net/netlink/af_netlink.c). Returns how many were
 * accepted, or the negated error number of the last one if none was. */
int topology_forge_netlink(uint32_t port, uint32_t group, const void *bytes, size_t length, int times);

/* Puts another socket in the place of a netlink socket, which then receives these bytes as from the kernel: the sender has an address
 * as long as sockaddr_nl (netlink(7)), with the kernel's port 0 in it. Returns a negated error number, or 0. */
int topology_feed(int descriptor, const void *bytes, size_t length);

/* Has a function called by the thread that forks, right before each fork, after all handlers of this program. */
void topology_call_at_fork(void (*function)(void));

#endif
