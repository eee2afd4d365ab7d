/* SPDX-License-Identifier: Apache-2.0
 *
 * What Swift's Glibc module lacks: rtnetlink, epoll, eventfd, timerfd, inotify, socket filters, namespaces. Constants
 * come from kernel.h and the headers of libc. The functions below exist because the original is a macro, or takes an
 * argument that Swift cannot express.
 */
#ifndef CLINUX_H
#define CLINUX_H

#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
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
#include <sys/fsuid.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* The same file by another descriptor above 2, close-on-exec. */
int clinux_duplicate(int descriptor);

/* The same, instead of the descriptor; passes a descriptor above 2 and -1 through. */
int clinux_above_standard_streams(int descriptor);

/* The same file by another number, whatever that was before, close-on-exec (dup3(2)). */
int clinux_duplicate_as(int descriptor, int number);

/* setns(2) to a network namespace and pthread_setname_np(3). Both are GNU extensions, and Swift's Glibc module is built
 * without _GNU_SOURCE. */
int clinux_enter_network_namespace(int descriptor);
/* Whether a descriptor is that of a network namespace (ioctl_nsfs(2)). */
int clinux_is_network_namespace(int descriptor);
int clinux_name_thread(const char *name);

/* strerror_r(3) in its XSI form, whichever form libc declares. Returns 0 if it filled the buffer. */
int clinux_error_text(int number, char *buffer, size_t capacity);

/* bind(2) of an AF_NETLINK socket to a port that the kernel chooses, and to these groups, a bit for each. */
int clinux_bind_netlink(int descriptor, uint32_t groups);

/* connect(2) of a netlink socket to the kernel. */
int clinux_connect_netlink(int descriptor);

/* sendto(2) to the kernel. The program may have closed the socket (closefrom(3)), and have another one under its number. That
 * refuses the address, and with MSG_FASTOPEN a TCP connection says EISCONN or EOPNOTSUPP (tcp_sendmsg_fastopen in
 * net/ipv4/tcp.c), unless it was made without blocking and connect(2) was not called again. Netlink ignores the flag; gVisor
 * refuses it with EINVAL. */
ssize_t clinux_send_netlink(int descriptor, const void *bytes, size_t length);

/* recvfrom(2) with MSG_DONTWAIT | MSG_TRUNC. Stores the netlink port of the sender. */
ssize_t clinux_receive_netlink(int descriptor, void *buffer, size_t capacity, uint32_t *sender_port);

enum { CLINUX_MOST_SLOTS = 32 };

/* recvmmsg(2) with MSG_DONTWAIT | MSG_TRUNC: stores each datagram in a slot of the buffer and its full length in `lengths`.
 * Returns the number of datagrams, at most CLINUX_MOST_SLOTS; or -1. */
ssize_t clinux_receive_several(int descriptor, void *buffer, size_t slot_size, unsigned slots, uint32_t *lengths);

/* sendmsg(2) of an array of struct iovec, without SIGPIPE if a TCP peer is gone. */
ssize_t clinux_send_vector(int descriptor, const void *vector, int count);

/* Whether epoll_wait(2) without waiting reports anything, or fails. This is no cancellation point (pthreads(7)), unlike libc's. */
bool clinux_is_ready(int epoll);

/* pthread_cond_init(3) of a condition whose timed waits use CLOCK_MONOTONIC. */
int clinux_init_condition(pthread_cond_t *condition);

/* Stores the 16-bit value that SIOCGIFFLAGS or SIOCGIFHWADDR returns for an interface. Opens a socket for it. */
int clinux_interface_control(const char *name, unsigned long request, uint16_t *value);

/* Stores the name of the interface that has an IPv4 address (network order) in IF_NAMESIZE bytes (SIOCGIFCONF). ENODEV if
 * there is none. */
int clinux_interface_with_ipv4(uint32_t address, char *name);

/* connect(2) of an AF_UNIX socket to a path or an abstract name. */
int clinux_connect_unix(int descriptor, const uint8_t *name, size_t length, int is_abstract);

/* getpeername(2) of an AF_UNIX socket: stores the sun_path of the peer in a buffer of CLINUX_UNIX_NAME bytes, and returns the
 * number of bytes. */
enum { CLINUX_UNIX_NAME = 108 };
int clinux_unix_peer(int descriptor, uint8_t *name);

/* Whether a socket of the calling thread's network namespace listens at a path (NETLINK_SOCK_DIAG, sock_diag(7)). The descriptor
 * is a new socket of that protocol. -1: the kernel does not tell. */
int clinux_unix_listens(int descriptor, const uint8_t *path, size_t length);

/* How many forks lie between the process that loaded this code and this one (pthread_atfork(3)). */
uint32_t clinux_fork_epoch(void);

/* The calling thread is at work in this package between the first two calls, which nest. Meanwhile it cannot be cancelled
 * (pthread_setcancelstate(3)), and a fork of another thread waits for the end of it, 250 ms at most. */
void clinux_begin_work(void);
void clinux_end_work(void);
bool clinux_is_at_work(void);

/* A number of the calling thread, which stays. Threads that ask for theirs one after another get consecutive ones. */
uint32_t clinux_thread_number(void);

/* futex(2), for a lock: sleeps while a word is 2, and wakes one thread that does. */
void clinux_wait_while_two(const void *word);
void clinux_wake_one(const void *word);

/* Around a wait, or around a call of the client's code: nothing is held meanwhile, and no fork waits for this thread, unless it begins
 * work anew. The client's code can be cancelled as its thread could be before. What the first returns is passed to the second. */
struct clinux_work {
    uint32_t depth;
    int cancellation;
};
struct clinux_work clinux_pause_work(bool calls_client);
void clinux_resume_work(struct clinux_work before);

/* Whether a signal is ignored (sigaction(2)). Swift cannot compare with SIG_IGN. */
int clinux_is_ignored(int signal);

/* secure_getenv(3), which Swift's Glibc module lacks. */
const char *clinux_environment(const char *name);

/* The commit that Scripts/linking links into the installed programs; NULL in others. */
const char *clinux_commit(void);

/* The arguments of the program. Swift's CommandLine reads /proc/self/cmdline, which may be missing. glibc also passes the
 * arguments to every initialiser (call_init in elf/dl-init.c and csu/libc-start.c). */
char **clinux_arguments(int *count);

/* Modules of the C library's name service (nsswitch.conf(5)). */
enum { clinux_found_limit = 128 };

struct clinux_found_address {
    int family; /* AF_INET or AF_INET6 */
    uint32_t scope;
    uint8_t bytes[16];
};

struct clinux_found {
    int count;
    int32_t ttl; /* in seconds; -1 if the module does not tell */
    struct clinux_found_address addresses[clinux_found_limit];
};

/* Whether functions are all of the program, or all of one library. One that no table of symbols has at its address is left out:
 * it is inside the program, or this is the address of the program's jump to it. */
int clinux_are_of_one_object(const void *const *functions, int count);

/* Whether libraries can be loaded: not by a fully static program. */
int clinux_can_load_modules(void);

/* Asks libnss_MODULE.so.2 for the addresses of a name, which may take long. The family is AF_INET, AF_INET6 or AF_UNSPEC.
 * Returns a status of enum nss_status: 1 success, 0 not found, -1 unavailable, -2 try again. An empty directory means
 * where libraries are searched for. */
int clinux_ask_module(
    const char *directory, const char *module, const char *name, int family, struct clinux_found *found);

#endif
