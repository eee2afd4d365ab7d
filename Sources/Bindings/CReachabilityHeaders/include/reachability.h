/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Tells whether a host can be reached, by the kernel's own route lookup, and calls back when that changes.
 *
 *     reachability_target *target;
 *     unsigned int flags;
 *     reachability_error error;
 *     if (reachability_target_create("db.example", NULL, &target, &error) != REACHABILITY_OK
 *         || reachability_target_get_flags(target, &flags, NULL, &error) != REACHABILITY_OK)
 *         fprintf(stderr, "%s\n", error.message);
 *     else if (flags & REACHABILITY_REACHABLE)
 *         puts("reachable");
 *
 * Errors. A function that can fail returns REACHABILITY_OK, which is 0, or one of the error codes below. It then also fills the
 * reachability_error that the caller passes, unless that is NULL. "Not reachable" is an answer, not an error.
 *
 * Packets. The library sends none, except queries to name servers. A module of the C library that nsswitch.conf(5) names, such as
 * that for mDNS, may send its own.
 *
 * Threads. Several threads may use one target at the same time. Every other object belongs to one thread at a time, and may be
 * handed from one thread to another. The library starts no thread to watch. It runs the modules that nsswitch.conf(5) names on
 * threads of its own, and enters another network namespace on a short-lived thread, which ends before the function returns. A
 * call needs up to 64 KiB of stack; reachability_target_get_flags needs 32 KiB if the target is an address.
 *
 * Descriptors. Between calls the library keeps descriptors open: sockets, and epoll, event, timer and inotify instances. They are
 * all above 2 and close-on-exec. The program must not close them, for instance with closefrom(3).
 *
 * fork(2). The child may use the targets of the parent, and may create targets and watchers of its own. A watcher of the parent
 * does nothing in the child. The child may free objects that it has inherited, which does not affect the parent. A fork waits up
 * to 250 ms for other threads that are inside the library. It cannot wait for a lock of the Swift runtime that a thread running
 * other Swift code holds, so if the program contains such code, the child should call exec.
 *
 * Compatibility. A program that was built with one version of libreachability.so.1 works with every later version. No function is
 * removed or changes its meaning, and symbols are versioned. Structures that the caller makes begin with their size, and may grow
 * at the end. Members missing from an older caller's structure read as 0. If a newer caller sets members that the library does
 * not know, to anything but 0, the library rejects the structure. Every enumeration may grow, so a program has to expect numbers
 * that it does not know.
 */

#ifndef REACHABILITY_H
#define REACHABILITY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parameters at these positions, counted from 1, must not be NULL. */
#if defined(__GNUC__)
#define REACHABILITY_NONNULL(parameters) __attribute__((nonnull parameters))
#else
#define REACHABILITY_NONNULL(parameters)
#endif

/* The flags of a target. They are Apple's SCNetworkReachabilityFlags, bit for bit, and are combined with |. */
enum {
    /* The route leads over a link with a single peer: PPP, a VPN tunnel, or a mobile network. */
    REACHABILITY_TRANSIENT_CONNECTION = 1 << 0,
    /* A packet to the target would leave this machine, or reach this machine itself. */
    REACHABILITY_REACHABLE = 1 << 1,
    /* A connection has to be established first, for instance by dialing or logging in. */
    REACHABILITY_CONNECTION_REQUIRED = 1 << 2,
    /* Traffic to the target establishes the required connection. */
    REACHABILITY_CONNECTION_ON_TRAFFIC = 1 << 3,
    /* The target is an address of this machine. */
    REACHABILITY_IS_LOCAL_ADDRESS = 1 << 16,
    /* There is no gateway between this machine and the target. */
    REACHABILITY_IS_DIRECT = 1 << 17,
    /* The route leads over a mobile network. */
    REACHABILITY_IS_WWAN = 1 << 18
};

/*
 * Why the flags are as they are. In lower case, the names are the values of `code` in the JSON. reachability_target_create(3)
 * explains each of them.
 */
enum {
    /* A reason that has no number in this version. reachability_target_get_reason describes it in a sentence. */
    REACHABILITY_REASON_OTHER = 0,
    REACHABILITY_REASON_THIS_MACHINE = 1,
    REACHABILITY_REASON_ON_LINK = 2,
    REACHABILITY_REASON_GATEWAY = 3,
    REACHABILITY_REASON_POINT_TO_POINT = 4,
    REACHABILITY_REASON_CONNECTABLE = 5,
    REACHABILITY_REASON_DORMANT_LINK = 6,
    REACHABILITY_REASON_NO_ROUTE = 7,
    REACHABILITY_REASON_UNREACHABLE_ROUTE = 8,
    REACHABILITY_REASON_PROHIBITED = 9,
    REACHABILITY_REASON_BLACKHOLE = 10,
    REACHABILITY_REASON_FAMILY_UNSUPPORTED = 11,
    REACHABILITY_REASON_NO_ROUTE_ON_INTERFACE = 12,
    REACHABILITY_REASON_LEAVES_ELSEWHERE = 13,
    REACHABILITY_REASON_INTERFACE_MISSING = 14,
    REACHABILITY_REASON_INTERFACE_NOT_NAMED = 15,
    REACHABILITY_REASON_NO_SOURCE_ADDRESS = 16,
    REACHABILITY_REASON_LINK_DOWN = 17,
    REACHABILITY_REASON_NO_CARRIER = 18,
    REACHABILITY_REASON_LOWER_LAYER_DOWN = 19,
    REACHABILITY_REASON_DEVICE_NOT_PRESENT = 20,
    REACHABILITY_REASON_LINK_TESTING = 21,
    REACHABILITY_REASON_LINK_GONE = 22,
    REACHABILITY_REASON_NOT_OUR_ADDRESS = 23,
    REACHABILITY_REASON_FAMILIES_DIFFER = 24,
    REACHABILITY_REASON_NO_ADDRESS_OF_FAMILY = 25,
    REACHABILITY_REASON_NO_SUCH_NAME = 26,
    REACHABILITY_REASON_NO_ADDRESSES = 27,
    REACHABILITY_REASON_IMPOSSIBLE_NAME = 28,
    REACHABILITY_REASON_NO_NAME_SERVER_REACHABLE = 29,
    REACHABILITY_REASON_NO_NAME_SERVER_CONFIGURED = 30,
    REACHABILITY_REASON_NO_ANSWER = 31,
    REACHABILITY_REASON_NAME_SERVERS_FAILED = 32
};

/* The values that functions return. */
enum {
    REACHABILITY_OK = 0,
    /* The target is malformed: it could never be resolved or looked up. */
    REACHABILITY_INVALID_TARGET = 1,
    /* An option has a value that cannot be used. */
    REACHABILITY_INVALID_OPTION = 2,
    /* The given name is not a possible name of an interface. */
    REACHABILITY_NO_SUCH_INTERFACE = 3,
    /* The kernel could not be queried; system_error says why. */
    REACHABILITY_KERNEL_UNAVAILABLE = 4,
    /*
     * The watcher has been freed by one of its callbacks, in which this function was called; or the entry has already been removed
     * from the watcher.
     */
    REACHABILITY_CLOSED = 5,
    /* The system does not provide what is needed, or does not permit it. */
    REACHABILITY_UNSUPPORTED = 6,
    /* Any other failure. */
    REACHABILITY_OTHER = 7,
    /* The descriptor does not refer to a connected TCP or UDP socket. */
    REACHABILITY_INVALID_SOCKET = 8
};

/*
 * Why a function failed. Every function that can fail takes a pointer to such a structure, which may be NULL, and fills it only
 * if it fails. The exception is reachability_watcher_remove, which takes none because it can fail for only one reason.
 */
typedef struct reachability_error {
    /* The value that the function returned. */
    int code;
    /* The errno of the system call that failed, or 0. */
    int system_error;
    /* One sentence without a line break. It is truncated if it is too long. */
    char message[248];
} reachability_error;

/* Transport protocols. */
enum {
    REACHABILITY_TRANSPORT_TCP = 0,
    REACHABILITY_TRANSPORT_UDP = 1
};

/* Address families. */
enum {
    REACHABILITY_FAMILY_IPV4 = 1 << 0,
    REACHABILITY_FAMILY_IPV6 = 1 << 1
};

/* What a query for the flags of a host name does. */
enum {
    /* It resolves the name first, which takes no longer than the timeout. */
    REACHABILITY_POLICY_RESOLVE = 0,
    /* It does not wait. A name whose addresses are not known yet has the flags of the default path, as on Apple's systems. */
    REACHABILITY_POLICY_OPTIMISTIC = 1
};

/*
 * How names are resolved, and everything but the destination on which the kernel's routing decision can depend.
 *
 * Initialize the structure with REACHABILITY_OPTIONS_INIT, and then set the members that matter. With that value, every member
 * has its default. Functions copy the options, and everything that the options point to, before they return.
 */
typedef struct reachability_options {
    /* sizeof(reachability_options). */
    size_t size;
    /* The name of the interface or VRF device to which packets would be bound (SO_BINDTODEVICE), in the bytes that the kernel
     * has, at most 15 of them. The interface need not exist yet. NULL for that of a new socket, which usually has none. */
    const char *interface_name;
    /* The IPv4 or IPv6 address from which packets would be sent. NULL if the kernel chooses it. */
    const char *source_address;
    /* The firewall mark of the packets (SO_MARK). Resolving a host name with a mark needs CAP_NET_ADMIN. NULL for that of a new
     * socket, which usually has none. */
    const unsigned int *mark;
    /* The user who would send the packets. NULL for the user who would own a socket of the calling thread (setfsuid(2)). */
    const unsigned int *user_id;
    /* The network namespace: a name that `ip netns` lists, or a path such as "/proc/123/ns/net". NULL for the namespace of the
     * calling thread. The library has to enter any other namespace, which needs CAP_SYS_ADMIN: to open its sockets, and again
     * each time a host name is resolved, which a watcher does, too. */
    const char *network_namespace;
    /* The name servers, such as "192.0.2.53" or "[2001:db8::53]:5353", in an array that ends with NULL. NULL for those of the
     * system. */
    const char *const *name_servers;
    /* The longest time, in milliseconds, to wait for a name to be resolved and for NetworkManager's hints about a path. 0 for
     * five seconds. */
    unsigned int timeout_milliseconds;
    /* Must be 0. */
    unsigned int reserved;
    /* The protocol of the packets, for routing rules that name one: REACHABILITY_TRANSPORT_TCP, which is 0, or
     * REACHABILITY_TRANSPORT_UDP. */
    unsigned int transport;
    /* The destination port of the packets, for routing rules that name ports. 0 for none. */
    unsigned int port;
    /* The address families that count, both for the addresses of a name and for default routes: REACHABILITY_FAMILY_IPV4,
     * REACHABILITY_FAMILY_IPV6, or 0 for both. */
    unsigned int families;
    /* What a query for the flags of a host name does: REACHABILITY_POLICY_RESOLVE, which is 0, or
     * REACHABILITY_POLICY_OPTIMISTIC. */
    unsigned int policy;
} reachability_options;

#define REACHABILITY_OPTIONS_INIT { sizeof(reachability_options), NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 }

/* Returns the version of the library, such as "1.0.0". The string is static: do not free it. Any thread may call this. */
const char *reachability_version(void);

/*
 * Writes the names of flags to `text`, as reachability(1) prints them, such as "Reachable,Local Address" or "Not Reachable". Like
 * snprintf(3), it writes at most `size` bytes, including the NUL at the end, and returns the length of the whole text without the
 * NUL. 200 bytes are enough for all flags. Any thread may call this.
 */
size_t reachability_flags_to_text(unsigned int flags, char *text, size_t size);

/* ---- Targets ------------------------------------------------------------------------------------------------------- */

/*
 * A host name, an address, a pair of addresses or the default path, with its options. It never changes, and any number of threads
 * may use it at the same time.
 */
typedef struct reachability_target reachability_target;

/*
 * Creates a target from a host name, or from an IPv4 or IPv6 address such as "fe80::1%eth0". This does not block: a name is not
 * resolved yet.
 * `options` may be NULL, which stands for the defaults. The text and the options may be released as soon as this returns.
 *
 * On success, `*target` is the new target, which the caller releases with reachability_target_free. On failure, `*target` is
 * NULL. Any thread may call this.
 */
int reachability_target_create(
    const char *text, const reachability_options *options, reachability_target **target, reachability_error *error)
    REACHABILITY_NONNULL((1, 3));

/*
 * Creates a target for the default path: the way from this machine to other networks, by IPv4 or IPv6. Otherwise like
 * reachability_target_create.
 */
int reachability_target_create_default(
    const reachability_options *options, reachability_target **target, reachability_error *error)
    REACHABILITY_NONNULL((2));

/*
 * Creates a target for packets from a local address to a remote one. The flags are 0 while this machine does not have the local
 * address. If `local` is NULL, packets may come from any address of this machine; if `remote` is NULL, the local address itself
 * is the target. They cannot both be NULL. Otherwise like reachability_target_create.
 */
int reachability_target_create_pair(
    const char *local, const char *remote, const reachability_options *options, reachability_target **target,
    reachability_error *error) REACHABILITY_NONNULL((4));

/*
 * Creates a target from an IPv4 or IPv6 socket address of `length` bytes, whose port is ignored. The address may be released as
 * soon as this returns. Otherwise like reachability_target_create.
 */
int reachability_target_create_with_address(
    const struct sockaddr *address, socklen_t length, const reachability_options *options, reachability_target **target,
    reachability_error *error) REACHABILITY_NONNULL((1, 4));

/*
 * Releases a target, which no other thread may be using. A watcher to which the target was added goes on, and keeps what it needs
 * until the target is removed from it. NULL is ignored.
 */
void reachability_target_free(reachability_target *target);

/*
 * Gets the present flags of a target. Unless `reason` is NULL, this also gets the reason for them, as a constant
 * REACHABILITY_REASON_*. If this fails, neither is set.
 *
 * If the target is not reachable, the flags are 0 and the function succeeds. The flags are 0, too, if no name server answered, so
 * that nothing is known about a host name: the reason is then REACHABILITY_REASON_NO_ANSWER or
 * REACHABILITY_REASON_NAME_SERVERS_FAILED.
 *
 * For a host name whose addresses are not known, this blocks until the name is resolved, but no longer than the timeout in the
 * options. The addresses are then known for their time to live; that no server answered is forgotten at once, so the next call
 * blocks again. For anything else it does not wait. Any thread may call this, also while a watcher watches the target.
 */
int reachability_target_get_flags(
    reachability_target *target, unsigned int *flags, int *reason, reachability_error *error)
    REACHABILITY_NONNULL((1, 2));

/*
 * Gets the present flags of a target and the reason for them, as a number and as a sentence in English. The wording of the
 * sentence may change between versions. Each of `flags`, `reason` and `sentence` may be NULL. The caller releases the sentence
 * with free(3); if this fails, `*sentence` is NULL. Otherwise like reachability_target_get_flags.
 */
int reachability_target_get_reason(
    reachability_target *target, unsigned int *flags, int *reason, char **sentence, reachability_error *error)
    REACHABILITY_NONNULL((1));

/*
 * Gets the present flags of a target and how they came about, as text of several lines, which is meant for people. The caller
 * releases the text with free(3); if this fails, `*text` is NULL. It blocks like reachability_target_get_flags.
 */
int reachability_target_explain(reachability_target *target, char **text, reachability_error *error)
    REACHABILITY_NONNULL((1, 2));

/*
 * Gets the same as reachability_target_explain, as one JSON object on one line. It has the keys of `reachability check --json`,
 * which reachability(1) describes; the value of `target` is the target in its canonical form. Later versions may add keys. The
 * caller releases the text with free(3); if this fails, `*text` is NULL.
 */
int reachability_target_explain_json(reachability_target *target, char **text, reachability_error *error)
    REACHABILITY_NONNULL((1, 2));

/* ---- Watchers ------------------------------------------------------------------------------------------------------ */

/*
 * Watches targets, paths, connections and gates on an event loop of the program, without a thread. Its descriptor becomes
 * readable when there is work to do. reachability_watcher_process then does that work and makes the callbacks, on the thread that
 * calls it. Between changes the descriptor is not readable, so an event loop that polls it sleeps.
 *
 * A watcher belongs to one thread at a time: two threads must not call functions with the same watcher at the same time.
 */
typedef struct reachability_watcher reachability_watcher;

/*
 * Receives the flags of a target. It is called by reachability_watcher_process only, on the thread that calls that.
 *
 * A callback may add to the watcher and remove from it, and may free it. If it calls reachability_watcher_process for the same
 * watcher, that call does nothing. It must return normally, not by longjmp(3) or a C++ exception.
 */
typedef void (*reachability_callback)(unsigned int flags, void *context);

/*
 * Releases the context of a callback. It is called on the thread that removes the callback or frees the watcher, before the function
 * that does so returns; if the callback is running then, after it has returned. It may call any function with the watcher, also
 * reachability_watcher_free. It must return normally, not by longjmp(3) or a C++ exception.
 */
typedef void (*reachability_free_callback)(void *context);

/*
 * Creates a watcher that watches nothing yet. On success, `*watcher` is the new watcher, which the caller releases with
 * reachability_watcher_free. On failure, `*watcher` is NULL.
 */
int reachability_watcher_create(reachability_watcher **watcher, reachability_error *error) REACHABILITY_NONNULL((1));

/*
 * Releases a watcher and closes its descriptor. After this has returned, none of its callbacks is called any more, so the program
 * may release their contexts. A program that uses epoll removes the descriptor from it before. A callback may call this, too: it is
 * then the last one, and reachability_watcher_process returns REACHABILITY_OK and closes the descriptor. NULL is ignored.
 */
void reachability_watcher_free(reachability_watcher *watcher);

/*
 * Returns the descriptor of a watcher, which stays the same until the watcher is freed. Poll it for input (POLLIN, EPOLLIN),
 * level-triggered. Do not read it, close it or change its flags.
 */
int reachability_watcher_descriptor(const reachability_watcher *watcher) REACHABILITY_NONNULL((1));

/*
 * Adds a target to a watcher. The callback receives the present flags, for a host name as soon as it is resolved, and from then
 * on the new flags after each change. The first call, too, comes from reachability_watcher_process, and never from this function.
 * While the kernel refuses to answer about the target, the callback is not called; reachability_target_get_flags returns the
 * error.
 *
 * On success, `*identifier` is a number for reachability_watcher_remove, unless `identifier` is NULL. The watcher keeps what it
 * needs of the target, so the target may be freed as soon as this returns.
 *
 * `context` is passed to the callback. Unless `free_context` is NULL, it is called with the context exactly once: after the
 * callback has been removed or its watcher freed, and no call of it is running; or before this function returns, if it fails. In
 * the child of a fork, it is not called for what the parent has added. If `free_context` is NULL, the context must stay valid
 * until reachability_watcher_remove or reachability_watcher_free has returned; the callback itself may call these.
 */
int reachability_watcher_add(
    reachability_watcher *watcher, reachability_target *target, reachability_callback callback, void *context,
    reachability_free_callback free_context, uint64_t *identifier, reachability_error *error)
    REACHABILITY_NONNULL((1, 2, 3));

/*
 * Removes what was added under this identifier. After this has returned, its callback is not called any more, and the program may
 * release the context. A callback may call this, also for itself. Returns REACHABILITY_OK, or REACHABILITY_CLOSED if there is
 * nothing under this identifier, because it was removed before.
 */
int reachability_watcher_remove(reachability_watcher *watcher, uint64_t identifier) REACHABILITY_NONNULL((1));

/* ---- The path ------------------------------------------------------------------------------------------------------ */

/* The status of a path. */
enum {
    /* Packets cannot leave this machine. */
    REACHABILITY_PATH_UNSATISFIED = 0,
    /* Packets can leave. */
    REACHABILITY_PATH_SATISFIED = 1,
    /* A connection has to be established first, for instance by dialing or logging in. */
    REACHABILITY_PATH_REQUIRES_CONNECTION = 2
};

/* What NetworkManager's last connectivity check found on the interface that packets leave by. */
enum {
    /* NetworkManager is not running, does not manage the interface, has not checked, or did not answer. */
    REACHABILITY_CONNECTIVITY_UNKNOWN = 0,
    /* There is no connection. */
    REACHABILITY_CONNECTIVITY_NONE = 1,
    /* Something else answered in the place of its web server, as a captive portal does. */
    REACHABILITY_CONNECTIVITY_PORTAL = 2,
    /* There is a network, but the web server did not answer. */
    REACHABILITY_CONNECTIVITY_LIMITED = 3,
    /* The web server answered. */
    REACHABILITY_CONNECTIVITY_FULL = 4
};

/*
 * How packets leave this machine, by its default routes. The members from has_ipv4 to is_constrained are 0 or 1.
 *
 * `size` works like this: set it to sizeof(reachability_path) before each call. The library fills the members that it knows, sets
 * the others to 0, and stores in `size` how many bytes it has filled. In a callback, `size` is the size of the structure in the
 * library's version.
 */
typedef struct reachability_path {
    size_t size;
    int status;
    /* IPv4 packets can leave. */
    int has_ipv4;
    /* IPv6 packets can leave. */
    int has_ipv6;
    /* Packets can leave, and a name server is configured. */
    int has_dns;
    /* Packets leave by a mobile network, or by a network that NetworkManager considers metered. */
    int is_expensive;
    /* Packets leave by a network that NetworkManager considers metered. */
    int is_constrained;
    /* A constant REACHABILITY_CONNECTIVITY_*. It is a hint: no other member depends on it. */
    int connectivity;
    /* The name of the interface that packets leave by, or "" if there is none. If IPv4 and IPv6 packets leave by different
     * interfaces, it is that for IPv4. The bytes are those of the kernel, and need not be UTF-8. */
    char interface_name[16];
    /* Tells whether connections that the program has open are still worth using. While the number stays the same, packets leave
     * by the same interfaces and from the same addresses, and the machine has not slept for more than a minute. It is never 0.
     * Compare only numbers of the same process. */
    uint64_t identity;
} reachability_path;

#define REACHABILITY_PATH_INIT { sizeof(reachability_path), 0, 0, 0, 0, 0, 0, 0, "", 0 }

/*
 * Gets the present path. Initialize the structure with REACHABILITY_PATH_INIT. Of the options, only the network namespace and the
 * timeout count; `options` may be NULL, and may be released as soon as this returns.
 *
 * If NetworkManager is running, this blocks until it has answered, but no longer than the timeout in the options, and at most a
 * quarter of a second. Any thread may call this.
 */
int reachability_path_get(const reachability_options *options, reachability_path *path, reachability_error *error)
    REACHABILITY_NONNULL((2));

/*
 * Gets the same as reachability_path_get, as one JSON object on one line, with addresses, gateways and name servers in addition.
 * It has the keys of `reachability path --json`, which reachability(1) describes, and `identity`. Later versions may add keys.
 * The caller releases the text with free(3); if this fails, `*text` is NULL.
 */
int reachability_path_get_json(const reachability_options *options, char **text, reachability_error *error)
    REACHABILITY_NONNULL((2));

/* Receives a path, which is valid until the callback returns. The rules for reachability_callback hold for it, too. */
typedef void (*reachability_path_callback)(const reachability_path *path, void *context);

/*
 * Adds the path to a watcher. The callback receives the present path, and from then on the new path after each change, also after
 * one that no member shows, such as another address. Of the options, only the network namespace counts; `options` may be NULL, and may be released as soon as this returns.
 * reachability_watcher_remove ends the callbacks. `context`, `free_context` and `identifier` work as for
 * reachability_watcher_add.
 */
int reachability_watcher_add_path(
    reachability_watcher *watcher, const reachability_options *options, reachability_path_callback callback,
    void *context, reachability_free_callback free_context, uint64_t *identifier, reachability_error *error)
    REACHABILITY_NONNULL((1, 3));

/* ---- Connections --------------------------------------------------------------------------------------------------- */

/*
 * What is known about a connected TCP or UDP socket of the program: whether its connection still works. The descriptor stays the
 * program's. The library never reads, writes, changes, duplicates or closes it, and does not clear the pending error of the
 * socket (SO_ERROR). The program must stop using this object, and remove it from watchers, before it closes the descriptor. The
 * child of a fork has to create its own.
 */
typedef struct reachability_socket reachability_socket;

/* The fate of a connection. */
enum {
    /* Its packets can leave this machine. */
    REACHABILITY_SOCKET_VIABLE = 0,
    /* Its packets cannot leave at the moment. If that changes, the connection goes on. */
    REACHABILITY_SOCKET_UNVIABLE = 1,
    /* The connection is over for good. */
    REACHABILITY_SOCKET_DEAD = 2
};

/*
 * Why a connection is unviable (1 to 5) or dead (6 to 8). reachability_socket_create(3) explains each of them.
 */
enum {
    REACHABILITY_SOCKET_SOURCE_GONE = 1,
    REACHABILITY_SOCKET_NO_CARRIER = 2,
    REACHABILITY_SOCKET_LINK_DOWN = 3,
    REACHABILITY_SOCKET_NO_ROUTE = 4,
    REACHABILITY_SOCKET_INTERFACE_GONE = 5,
    REACHABILITY_SOCKET_CLOSED = 6,
    REACHABILITY_SOCKET_FAILED = 7,
    REACHABILITY_SOCKET_ENDED = 8
};

/* The state of a connection. */
typedef struct reachability_socket_state {
    /* Set this to sizeof(reachability_socket_state) before each call. It works like the `size` of reachability_path. */
    size_t size;
    /* One of REACHABILITY_SOCKET_VIABLE, REACHABILITY_SOCKET_UNVIABLE and REACHABILITY_SOCKET_DEAD. */
    int fate;
    /* Why the connection is unviable or dead. 0 if it is viable. */
    int reason;
    /* The interface by which a new connection to the same peer would leave, if it is a different one. Otherwise "". */
    char better_interface_name[16];
} reachability_socket_state;

#define REACHABILITY_SOCKET_STATE_INIT { sizeof(reachability_socket_state), 0, 0, "" }

/*
 * Reads the addresses and options of a connected TCP or UDP socket, of IPv4 or IPv6. The socket must belong to the network
 * namespace of the calling thread. If the descriptor is anything else, this returns REACHABILITY_INVALID_SOCKET. On success,
 * `*socket` is a new object, which the caller releases with reachability_socket_free. On failure, `*socket` is NULL.
 */
int reachability_socket_create(int descriptor, reachability_socket **socket, reachability_error *error)
    REACHABILITY_NONNULL((2));

/*
 * Releases the object, and leaves the descriptor alone. A watcher to which it was added goes on until it is removed from the
 * watcher. NULL is ignored.
 */
void reachability_socket_free(reachability_socket *socket);

/*
 * Gets the present state of a connection, without waiting. Initialize the structure with
 * REACHABILITY_SOCKET_STATE_INIT.
 */
int reachability_socket_get_state(
    reachability_socket *socket, reachability_socket_state *state, reachability_error *error)
    REACHABILITY_NONNULL((1, 2));

/*
 * Receives the state of a connection, which is valid until the callback returns. The rules for reachability_callback hold for it,
 * too.
 */
typedef void (*reachability_socket_callback)(const reachability_socket_state *state, void *context);

/*
 * Adds a connection to a watcher. The callback receives the present state, and from then on the new state after each change. The
 * kernel does not announce the end of a connection, so a reset is reported at the next change of the network. `socket` may be
 * freed as soon as this returns. reachability_watcher_remove ends the callbacks. `context`, `free_context` and `identifier` work
 * as for reachability_watcher_add.
 */
int reachability_watcher_add_socket(
    reachability_watcher *watcher, reachability_socket *socket, reachability_socket_callback callback, void *context,
    reachability_free_callback free_context, uint64_t *identifier, reachability_error *error)
    REACHABILITY_NONNULL((1, 2, 3));

/* ---- Gates --------------------------------------------------------------------------------------------------------- */

/* Kinds of interfaces. */
enum {
    REACHABILITY_KIND_OTHER = 1 << 0,
    REACHABILITY_KIND_WIFI = 1 << 1,
    REACHABILITY_KIND_CELLULAR = 1 << 2,
    REACHABILITY_KIND_WIRED = 1 << 3,
    REACHABILITY_KIND_LOOPBACK = 1 << 4
};

/*
 * What the network must be like before a transfer may begin. A member that is 0 demands nothing. Initialize the structure with
 * REACHABILITY_CONDITIONS_INIT, and then set the members that matter.
 */
typedef struct reachability_conditions {
    /* sizeof(reachability_conditions). */
    size_t size;
    /* If not 0, packets must not leave by a mobile network, nor by a network that NetworkManager considers metered. */
    int not_expensive;
    /* If not 0, packets must not leave by a network that NetworkManager considers metered. */
    int not_constrained;
    /* The kind of interface by which packets must leave: one constant REACHABILITY_KIND_*. If packets leave by a tunnel, the
     * interface below it counts, too. */
    unsigned int required_kind;
    /* The kinds of interfaces by which packets must not leave: several constants REACHABILITY_KIND_*, combined with |. */
    unsigned int prohibited_kinds;
    /* How long, in milliseconds, all of these conditions must have held without interruption. */
    unsigned int stable_milliseconds;
    /* Must be 0. */
    unsigned int reserved;
} reachability_conditions;

#define REACHABILITY_CONDITIONS_INIT { sizeof(reachability_conditions), 0, 0, 0, 0, 0, 0 }

/*
 * The obstacles that keep a transfer from beginning. reachability_watcher_create(3) explains each of them.
 */
enum {
    REACHABILITY_OBSTACLE_UNKNOWN = 1 << 0,
    REACHABILITY_OBSTACLE_UNREACHABLE = 1 << 1,
    REACHABILITY_OBSTACLE_INTERFACE = 1 << 2,
    REACHABILITY_OBSTACLE_EXPENSIVE = 1 << 3,
    REACHABILITY_OBSTACLE_CONSTRAINED = 1 << 4,
    REACHABILITY_OBSTACLE_UNSTABLE = 1 << 5
};

/*
 * Receives what keeps a transfer from beginning, as constants REACHABILITY_OBSTACLE_* combined with |, or 0 if it may begin. The
 * rules for reachability_callback hold for it, too.
 */
typedef void (*reachability_gate_callback)(unsigned int obstacles, void *context);

/*
 * Adds a gate to a watcher: the callback receives what keeps a transfer to a target from beginning, and from then on the new
 * obstacles after each change. If `conditions` is NULL, the target only has to be reachable. The target and the conditions may be
 * released as soon as this returns. reachability_watcher_remove ends the callbacks. `context`, `free_context` and `identifier`
 * work as for reachability_watcher_add.
 */
int reachability_watcher_add_gate(
    reachability_watcher *watcher, reachability_target *target, const reachability_conditions *conditions,
    reachability_gate_callback callback, void *context, reachability_free_callback free_context, uint64_t *identifier,
    reachability_error *error)
    REACHABILITY_NONNULL((1, 2, 4));

/* ---- Processing ---------------------------------------------------------------------------------------------------- */

/*
 * Does all the work that is due and makes the callbacks, on the calling thread, and returns without waiting. Call it when the
 * descriptor is readable. If it is called late, nothing is lost: each callback receives the newest value, once. If it is called
 * from a callback of the same watcher, it does nothing and returns REACHABILITY_OK.
 *
 * An error means that the watcher no longer works. The function then returns the same error at each call, the descriptor is not
 * readable any more, and no further callback is made; free the watcher and create another one. This happens in the child of a
 * fork, for a watcher of the parent (REACHABILITY_UNSUPPORTED); if the program has closed a descriptor of the library; if a
 * filter of system calls forbids epoll_wait(2) or epoll_ctl(2); and if the program has given up the privilege that it needs to
 * resolve a watched name (network_namespace, mark).
 */
int reachability_watcher_process(reachability_watcher *watcher, reachability_error *error) REACHABILITY_NONNULL((1));

/*
 * Makes the next call of reachability_watcher_process query the kernel again about everything that is watched. The descriptor is
 * readable until then. This is for a program that learns of a change from somewhere else. It also saves waiting for up to two
 * seconds where the kernel does not announce all changes, as in gVisor and some other sandboxes, and the library queries it every
 * two seconds.
 */
void reachability_watcher_recheck(reachability_watcher *watcher) REACHABILITY_NONNULL((1));

#ifdef __cplusplus
}
#endif

#endif
