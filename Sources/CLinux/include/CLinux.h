/* SPDX-License-Identifier: Apache-2.0
 *
 * What Swift's Glibc module does not offer: rtnetlink, epoll, eventfd, timerfd, inotify, io_uring, socket filters,
 * namespaces.
 * Constants come straight from the kernel's and libc's headers; the functions below exist because the original is a
 * macro, is variadic, or takes an argument Swift cannot spell.
 */
#ifndef CLINUX_H
#define CLINUX_H

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "direct.h"

/* Values that older distributions' headers lack; the kernel's numbers never change once released. */
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71 /* asm-generic/socket.h, Linux 5.14 */
#endif
#ifndef RTM_F_FIB_MATCH
#define RTM_F_FIB_MATCH 0x2000 /* linux/rtnetlink.h, Linux 4.13 */
#endif

/* open(2), fcntl(2) and ioctl(2) are variadic. */
int clinux_open(const char *path, int flags, mode_t mode);
int clinux_duplicate(int descriptor); /* close-on-exec */
int clinux_ioctl_pointer(int descriptor, unsigned long request, void *argument);

/* setns(2) to a network namespace, pthread_setname_np(3), and the event mask's EPOLLRDHUP are GNU extensions, hidden
 * from Swift, whose Glibc module is built without _GNU_SOURCE. */
int clinux_enter_network_namespace(int descriptor);
int clinux_name_thread(const char *name);

/* strerror_r(3) in its XSI form, whichever form the C library declares. Returns 0 where it filled the buffer. */
int clinux_error_text(int number, char *buffer, size_t capacity);

/* bind(2) for an AF_NETLINK socket: port 0 lets the kernel choose, no groups (they are joined one by one, since
 * RTNLGRP_NEXTHOP is above the 32 that fit in the address). */
int clinux_bind_netlink(int descriptor);

/* connect(2) of a netlink socket to the kernel. */
int clinux_connect_netlink(int descriptor);

/* recvmsg(2) with MSG_DONTWAIT | MSG_TRUNC into one buffer; tells the netlink port of the sender. */
ssize_t clinux_receive_netlink(int descriptor, void *buffer, size_t capacity, uint32_t *sender_port);

enum { CLINUX_MOST_SLOTS = 32 };

/* recvmmsg(2) of what is there already: each datagram into a slot of the buffer, its true length into `lengths`. Says how
 * many came, at most CLINUX_MOST_SLOTS; or -errno. */
int clinux_receive_several(int descriptor, void *buffer, size_t slot_size, unsigned slots, uint32_t *lengths);

/* bind(2) to an IPv4 (4 bytes) or IPv6 (16 bytes) address, with a port of the kernel's choice. */
int clinux_bind_internet(int descriptor, const uint8_t *address, size_t length, uint32_t scope);

/* connect(2) to an AF_INET or AF_INET6 address; a scope that is not 0 replaces the one of an IPv6 address. */
int clinux_connect_internet(int descriptor, const void *address, socklen_t length, uint32_t scope);

/* sendmsg(2) of an array of struct iovec, without SIGPIPE where a TCP peer is gone. */
ssize_t clinux_send_vector(int descriptor, const void *vector, int count);

/* pthread_cond_timedwait(3) takes its clock from the condition's attributes: this one is on CLOCK_MONOTONIC. */
int clinux_init_condition(pthread_cond_t *condition);

/* Connects a UDP socket to an address of 4 or 16 bytes, also a broadcast one, and tells the source it would send from
 * into as many bytes. */
int clinux_probe_internet(
    int descriptor, const uint8_t *destination, size_t length, uint32_t scope, uint8_t *source);

/* The 16-bit value that an interface's SIOCGIFFLAGS or SIOCGIFHWADDR gives, by a socket of its own. */
int clinux_interface_control(const char *name, unsigned long request, uint16_t *value);

/* The name of the interface that has an IPv4 address in network order (SIOCGIFCONF), into IF_NAMESIZE bytes. */
int clinux_interface_with_ipv4(uint32_t address, char *name);

/* connect(2) to an IPv4 (4 bytes) or IPv6 (16 bytes) address and a port. */
int clinux_connect_stream(int descriptor, const uint8_t *address, size_t length, uint16_t port, uint32_t scope);

/* getsockname(2): 4 or 16 bytes of address into a buffer of 16, and their number. */
int clinux_own_end(int descriptor, uint8_t *address, uint16_t *port, uint32_t *scope);

/* connect(2) of an AF_UNIX socket to a path or an abstract name. */
int clinux_connect_unix(int descriptor, const uint8_t *name, size_t length, int is_abstract);

/* getpeername(2) of an AF_UNIX socket: what its peer is bound to, as it stands in sun_path, into a buffer of
 * CLINUX_UNIX_NAME bytes, and their number. */
enum { CLINUX_UNIX_NAME = 108 };
int clinux_unix_peer(int descriptor, uint8_t *name);

/* SO_LINGER of zero seconds: close(2) then resets the connection instead of ending it in order (socket(7)). */
int clinux_reset_on_close(int descriptor);

/* Has forks counted from now on (pthread_atfork(3)); 0, or an error number. May be called any number of times. */
int clinux_observe_forks(void);

/* How often this process is the child of a fork since then. */
uint64_t clinux_fork_epoch(void);

/* Whether a signal is ignored, as a program inherits it (sigaction(2); Swift cannot compare SIG_IGN). */
int clinux_is_ignored(int signal);

/* secure_getenv(3), which Swift's Glibc module leaves out. */
const char *clinux_environment(const char *name);

/* The number of clock ticks in a second in which rta_cacheinfo counts (sysconf _SC_CLK_TCK). */
long clinux_clock_ticks(void);

/* What the program was started with. Swift's CommandLine reads /proc/self/cmdline, which need not be there; glibc hands
 * the words to every initialiser as well (call_init in elf/dl-init.c and csu/libc-start.c). */
char **clinux_arguments(int *count);

/* An io_uring that polls one descriptor, and tells any thread by memory it shares with the kernel whether that has become
 * readable. NULL for want of memory. Only `clinux_ring_is_still` may be called by any thread; one thread does the
 * rest between opening and closing. */
struct clinux_ring;
struct clinux_ring *clinux_ring_new(void);
void clinux_ring_free(struct clinux_ring *ring); /* closed before */

/* Begins to poll. 0, or -1 where the kernel, or whoever filters its calls, does not allow it. */
int clinux_ring_open(struct clinux_ring *ring, int target);
void clinux_ring_close(struct clinux_ring *ring);

/* Has the kernel do what it has put off, and takes the outcome. 1 where the poll goes on and the ring is still; 0 where
 * that is not so, and a new ring is wanted; -1 for an error. */
int clinux_ring_work_off(struct clinux_ring *ring);

/* Whether the kernel has neither work put off nor completions that were not taken, in a ring that was opened once. What it
 * says counts between working off and closing only. */
bool clinux_ring_is_still(const struct clinux_ring *ring);

#endif
