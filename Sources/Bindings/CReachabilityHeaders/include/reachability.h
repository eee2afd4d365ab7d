/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whether a host can be reached, by the kernel's own route lookup, and callbacks when that changes.
 *
 * The library sends no packet, except to name servers, and starts no thread to watch. A module of the C library that
 * nsswitch.conf names, such as mDNS, is asked on a thread of its own, and may send packets; a namespace in the options is entered
 * on a thread, which ends before the function returns. Every object belongs to one thread at a time; it may pass from one thread
 * to another. A target may be used by several threads at once. A call needs 64 KiB of stack; reachability_target_get_flags needs
 * 32 KiB for an address.
 *
 * Between calls the library keeps descriptors of its own open, all above 2 and close-on-exec: sockets, and epoll, event, timer
 * and inotify instances. Do not close them (closefrom(3)).
 *
 * The child of a fork may ask about targets of the parent, and make targets and watchers of its own. A watcher of the parent
 * does nothing there, and what the child frees touches nothing of the parent. A fork waits for other threads that are inside
 * the library, 250 ms at most. It cannot wait for locks of Swift's runtime that a thread of other Swift code holds: if the
 * program contains such code, the child should call exec.
 *
 * A program that was built with one version of libreachability.so.1 works with every later one. No function is removed or
 * changes its meaning; symbols have versions. Structures that a program makes begin with their size, and may grow at their ends.
 * What a program does not have is zero for the library. What a library does not have must be zero, or it refuses the structure.
 * Numbers may be added to every enumeration, so a program has to expect unknown ones.
 *
 *     reachability_target *target;
 *     unsigned int flags;
 *     reachability_error error;
 *     if (reachability_target_create("db.example", NULL, &target, &error) != REACHABILITY_OK
 *         || reachability_target_get_flags(target, &flags, NULL, &error) != REACHABILITY_OK)
 *         fprintf(stderr, "%s\n", error.message);
 *     else if (flags & REACHABILITY_REACHABLE)
 *         puts("reachable");
 */

#ifndef REACHABILITY_H
#define REACHABILITY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The pointers of these parameters, counted from 1, must not be NULL. */
#if defined(__GNUC__)
#define REACHABILITY_NONNULL(parameters) __attribute__((nonnull parameters))
#else
#define REACHABILITY_NONNULL(parameters)
#endif

/* What is known about the route to a target: Apple's SCNetworkReachabilityFlags, bit for bit. */
enum {
    /* The route leads over a link with a single peer: PPP, a VPN tunnel, or a mobile network. */
    REACHABILITY_TRANSIENT_CONNECTION = 1 << 0,
    /* A packet to the target would leave this machine, or reach this machine itself. */
    REACHABILITY_REACHABLE = 1 << 1,
    /* A connection has to be made first, such as a dial or a login. */
    REACHABILITY_CONNECTION_REQUIRED = 1 << 2,
    /* Traffic to the target makes the required connection. */
    REACHABILITY_CONNECTION_ON_TRAFFIC = 1 << 3,
    /* The target is an address of this machine. */
    REACHABILITY_IS_LOCAL_ADDRESS = 1 << 16,
    /* There is no gateway between this machine and the target. */
    REACHABILITY_IS_DIRECT = 1 << 17,
    /* The route leads over a mobile network. */
    REACHABILITY_IS_WWAN = 1 << 18
};

/*
 * Why the flags are as they are. More numbers may be added. The names are those of `code` in the JSON, in capitals;
 * reachability_target_create(3) says what each means.
 */
enum {
    /* A reason without a number in this version. The sentence tells it. */
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

/* What a function returns. More numbers may be added. */
enum {
    REACHABILITY_OK = 0,
    /* The target as it is written can never be resolved or looked up. */
    REACHABILITY_INVALID_TARGET = 1,
    /* The value of an option cannot be used. */
    REACHABILITY_INVALID_OPTION = 2,
    /* No interface can have the given name. */
    REACHABILITY_NO_SUCH_INTERFACE = 3,
    /* The kernel could not be asked; system_error says why. */
    REACHABILITY_KERNEL_UNAVAILABLE = 4,
    /* The watcher is closed, or what was added to it has been removed. */
    REACHABILITY_CLOSED = 5,
    /* This system does not provide or allow what is needed. */
    REACHABILITY_UNSUPPORTED = 6,
    /* Any other failure. */
    REACHABILITY_OTHER = 7,
    /* The descriptor is not that of a connected TCP or UDP socket. */
    REACHABILITY_INVALID_SOCKET = 8
};

/*
 * Why a function failed. Every function that can fail takes a pointer to one, or NULL, and fills it if it fails; only
 * reachability_watcher_remove fails for one reason alone.
 */
typedef struct reachability_error {
    /* What the function returned. */
    int code;
    /* The system's error number (errno), or 0. */
    int system_error;
    /* One sentence, without a line break. Cut off if it is too long. */
    char message[248];
} reachability_error;

/* The protocol of a socket. */
enum {
    REACHABILITY_TRANSPORT_TCP = 0,
    REACHABILITY_TRANSPORT_UDP = 1
};

/* Families of addresses. */
enum {
    REACHABILITY_FAMILY_IPV4 = 1 << 0,
    REACHABILITY_FAMILY_IPV6 = 1 << 1
};

/* What a question about a name does. */
enum {
    /* Resolves it, which takes until the timeout at the longest. */
    REACHABILITY_POLICY_RESOLVE = 0,
    /* Does not wait: a name that is not known has the flags of the default path, as on Apple's systems. */
    REACHABILITY_POLICY_OPTIMISTIC = 1
};

/*
 * Everything beside the destination on which the kernel's routing can depend, and how names are resolved.
 *
 * Start with REACHABILITY_OPTIONS_INIT, which means "nothing" for every member. The function that takes the options copies
 * what they point to.
 */
typedef struct reachability_options {
    /* sizeof(reachability_options). */
    size_t size;
    /* The name of the interface or VRF device to which packets would be bound (SO_BINDTODEVICE), at most 15 bytes as the
     * kernel has them. It need not exist yet. */
    const char *interface_name;
    /* The address from which packets would be sent. */
    const char *source_address;
    /* The firewall mark of the packets (SO_MARK). */
    const unsigned int *mark;
    /* The user who would send the packets. NULL for the owner of a socket of the calling thread. */
    const unsigned int *user_id;
    /* A name in `ip netns`, or a path such as "/proc/123/ns/net". NULL for the namespace of the calling thread. Another one is
     * entered, which needs CAP_SYS_ADMIN, and for a name again at each lookup, also by a watcher. */
    const char *network_namespace;
    /* Name servers, such as "192.0.2.53" or "[2001:db8::53]:5353"; after the last one NULL. NULL for the system's. */
    const char *const *name_servers;
    /* The longest time for resolving a name, and for the hints of a path, in milliseconds. 0 for five seconds. */
    unsigned int timeout_milliseconds;
    /* Must be 0. */
    unsigned int reserved;
    /* The protocol of the packets, for rules of routing that name one: REACHABILITY_TRANSPORT_TCP, or another. */
    unsigned int transport;
    /* The port to which they would be sent, for rules that name ports. 0 for none. */
    unsigned int port;
    /* The families of addresses that count: of a name's addresses, and of default routes. 0 for both. */
    unsigned int families;
    /* What a question about a name does: REACHABILITY_POLICY_RESOLVE, or another. */
    unsigned int policy;
} reachability_options;

#define REACHABILITY_OPTIONS_INIT { sizeof(reachability_options), NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 }

/* The version of the library, such as "1.0.0". */
const char *reachability_version(void);

/*
 * Writes flags in words, such as "Reachable,Local Address" or "Not Reachable", as reachability(1) prints them, and returns their
 * length. Like snprintf(3), it writes at most `size` bytes with the NUL at the end; 200 are enough for all flags.
 */
size_t reachability_flags_to_text(unsigned int flags, char *text, size_t size);

/* ---- Targets ------------------------------------------------------------------------------------------------------- */

/* A host or an address whose reachability can be asked for. */
typedef struct reachability_target reachability_target;

/*
 * Makes a target from a host name, or from an IPv4 or IPv6 address such as "fe80::1%eth0". The name is resolved later. The text, the
 * options and what they point to may be released when this returns. Release the target with reachability_target_free.
 */
int reachability_target_create(
    const char *text, const reachability_options *options, reachability_target **target, reachability_error *error)
    REACHABILITY_NONNULL((1, 3));

/* The same for the default path: the way from this machine to other networks, in either family. */
int reachability_target_create_default(
    const reachability_options *options, reachability_target **target, reachability_error *error)
    REACHABILITY_NONNULL((2));

/*
 * The same for what can be sent from a local address to a remote one. The flags are 0 as long as this machine does not have the local
 * address. One of the two may be NULL: any local address, or the local address alone.
 */
int reachability_target_create_pair(
    const char *local, const char *remote, const reachability_options *options, reachability_target **target,
    reachability_error *error) REACHABILITY_NONNULL((4));

/* The same for a socket address of IPv4 or IPv6, which may be released when this returns. Its port does not matter. */
int reachability_target_create_with_address(
    const struct sockaddr *address, socklen_t length, const reachability_options *options, reachability_target **target,
    reachability_error *error) REACHABILITY_NONNULL((1, 4));

/* Releases a target. A watcher to which it was added keeps it until it is removed there. NULL is ignored. */
void reachability_target_free(reachability_target *target);

/*
 * Asks for the present flags, and for the number of what decided them, unless `reason` is NULL. "Not reachable" is an answer: the
 * flags are 0 then. So they are where no name server answered, and the reason tells it. A name is resolved first unless its
 * addresses are known, which takes until the timeout at the longest.
 */
int reachability_target_get_flags(
    reachability_target *target, unsigned int *flags, int *reason, reachability_error *error)
    REACHABILITY_NONNULL((1, 2));

/*
 * Asks for the present flags, and what decided them: a number, and a sentence, which may change. `flags`, `reason` and
 * `sentence` may be NULL. Release the sentence with free(3).
 */
int reachability_target_get_reason(
    reachability_target *target, unsigned int *flags, int *reason, char **sentence, reachability_error *error)
    REACHABILITY_NONNULL((1));

/* Asks for the present flags with the reasons, as text of several lines. Release the text with free(3). */
int reachability_target_explain(reachability_target *target, char **text, reachability_error *error)
    REACHABILITY_NONNULL((1, 2));

/*
 * The same as one JSON object on one line. It has the keys of `reachability check --json`, which reachability(1) describes;
 * `target` is the target in its usual form. Keys may be added. Release the text with free(3).
 */
int reachability_target_explain_json(reachability_target *target, char **text, reachability_error *error)
    REACHABILITY_NONNULL((1, 2));

/* ---- Watchers ------------------------------------------------------------------------------------------------------ */

/*
 * Watches targets on an event loop of the program. Its descriptor is readable when there is something to do, and
 * reachability_watcher_process does it and makes the callbacks, on the calling thread. Between changes the descriptor is not
 * readable, so that a loop that waits for it sleeps.
 */
typedef struct reachability_watcher reachability_watcher;

/*
 * Told the flags of a target. May add and remove targets, and may free the watcher. A call of reachability_watcher_process
 * from here does nothing. Must not leave by longjmp or by an exception.
 */
typedef void (*reachability_callback)(unsigned int flags, void *context);

/* Releases the context of a callback. Must not leave by longjmp or by an exception. */
typedef void (*reachability_free_callback)(void *context);

/* Makes a watcher without targets. Release it with reachability_watcher_free. */
int reachability_watcher_create(reachability_watcher **watcher, reachability_error *error) REACHABILITY_NONNULL((1));

/*
 * Releases a watcher, and closes its descriptor. No callback is made any more, so the contexts of all may be released then. NULL is
 * ignored.
 */
void reachability_watcher_free(reachability_watcher *watcher);

/* The descriptor to poll for input. Do not read it, close it, or change its flags. It stays the same. */
int reachability_watcher_descriptor(const reachability_watcher *watcher) REACHABILITY_NONNULL((1));

/*
 * Calls back with the present flags of a target, for a name as soon as it is resolved, and then with each change. The first
 * callback, too, is made by reachability_watcher_process. `identifier` may be NULL. There is no callback while the kernel refuses to
 * answer about the target: reachability_target_get_flags returns why.
 *
 * The target may be released when this returns. `context` is passed on as it is. Unless it is NULL, `free_context` is called with
 * it exactly once: when the callback has been removed or its watcher freed, and is not running, or when this function has failed;
 * not in the child of a fork for what the parent has added. Without it, what `context` points to has to live until
 * reachability_watcher_remove or reachability_watcher_free has returned, which may be called from the callback.
 */
int reachability_watcher_add(
    reachability_watcher *watcher, reachability_target *target, reachability_callback callback, void *context,
    reachability_free_callback free_context, uint64_t *identifier, reachability_error *error)
    REACHABILITY_NONNULL((1, 2, 3));

/*
 * Ends the callbacks for what was added. Returns REACHABILITY_CLOSED if they had ended before. The context of the callback may be
 * released then.
 */
int reachability_watcher_remove(reachability_watcher *watcher, uint64_t identifier) REACHABILITY_NONNULL((1));

/* ---- The path ------------------------------------------------------------------------------------------------------ */

enum {
    /* Packets cannot leave this machine. */
    REACHABILITY_PATH_UNSATISFIED = 0,
    REACHABILITY_PATH_SATISFIED = 1,
    /* A connection has to be made first. */
    REACHABILITY_PATH_REQUIRES_CONNECTION = 2
};

/* What NetworkManager found when it last asked its web server by the interface that packets leave by. */
enum {
    /* NetworkManager does not run, does not manage the interface, has not checked, or does not tell. */
    REACHABILITY_CONNECTIVITY_UNKNOWN = 0,
    /* There is no connection. */
    REACHABILITY_CONNECTIVITY_NONE = 1,
    /* Another server answered, as a captive portal does. */
    REACHABILITY_CONNECTIVITY_PORTAL = 2,
    /* There is a network, and the server did not answer. */
    REACHABILITY_CONNECTIVITY_LIMITED = 3,
    REACHABILITY_CONNECTIVITY_FULL = 4
};

/* How packets leave this machine, by its default routes. The members after `status` are 0 or 1, save the last three. */
typedef struct reachability_path {
    /* What a program has of it, set before each call. Afterwards, what the library has of that: a member beyond it is 0. In a
     * callback, all that the library has. */
    size_t size;
    int status;
    int has_ipv4;
    int has_ipv6;
    int has_dns;
    /* Packets leave by a mobile network, or by one that NetworkManager calls metered. */
    int is_expensive;
    /* Packets leave by a network that NetworkManager calls metered. */
    int is_constrained;
    /* A hint of NetworkManager's. No other member depends on it. */
    int connectivity;
    /* The interface that packets leave by, or "" if there is none. The bytes are those of the kernel, and need not be UTF-8. */
    char interface_name[16];
    /* Whether connections that the program has made are still worth using: while the number stays the same, they leave by the same
     * interface and from the same address, and the machine has not slept for over a minute. Only numbers of one process can be
     * compared. Not 0. */
    uint64_t identity;
} reachability_path;

/*
 * Tells the present path of the options' network namespace. Start with reachability_path path = { sizeof path }. If
 * NetworkManager runs, this waits for its hints until the timeout, and for a quarter of a second at the longest. The other
 * options do not count; they may be released when this returns.
 */
int reachability_path_get(const reachability_options *options, reachability_path *path, reachability_error *error)
    REACHABILITY_NONNULL((2));

/*
 * The same as one JSON object on one line, with addresses, gateways and name servers. It has the keys of
 * `reachability path --json`, which reachability(1) describes. Keys may be added. The options may be released when this returns.
 * Release the text with free(3).
 */
int reachability_path_get_json(const reachability_options *options, char **text, reachability_error *error)
    REACHABILITY_NONNULL((2));

/* Told a path, which lives until the function returns. The same rules hold as for reachability_callback. */
typedef void (*reachability_path_callback)(const reachability_path *path, void *context);

/*
 * Calls back with the present path, and then with each change. Ended by reachability_watcher_remove. The options may be released
 * when this returns; `context` and `free_context` are those of reachability_watcher_add.
 */
int reachability_watcher_add_path(
    reachability_watcher *watcher, const reachability_options *options, reachability_path_callback callback,
    void *context, reachability_free_callback free_context, uint64_t *identifier, reachability_error *error)
    REACHABILITY_NONNULL((1, 3));

/* ---- Connections --------------------------------------------------------------------------------------------------- */

/*
 * A connected TCP or UDP socket of the program, whose fate can be asked for. Its descriptor is never read, written, changed,
 * duplicated or closed, and the socket's error is not taken away. The program stops asking before it closes the descriptor.
 */
typedef struct reachability_socket reachability_socket;

enum {
    /* Packets of the connection can leave. */
    REACHABILITY_SOCKET_VIABLE = 0,
    /* They cannot leave now. That may end, and the connection then goes on. */
    REACHABILITY_SOCKET_UNVIABLE = 1,
    /* The connection carries nothing any more. */
    REACHABILITY_SOCKET_DEAD = 2
};

/*
 * Why a connection is unviable (1 to 5) or dead (6 to 8): reachability_socket_create(3) says what each means. More numbers may
 * be added.
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
    /* What a program has of it, set before each call. Afterwards, what the library has of that: a member beyond it is 0. In a
     * callback, all that the library has. */
    size_t size;
    int fate;
    /* Why it is not viable, or 0. */
    int reason;
    /* The interface by which a new connection like this one would leave, if it is another; else "". */
    char better_interface_name[16];
} reachability_socket_state;

/* Reads the socket of a descriptor, which must belong to the network namespace of the calling thread. */
int reachability_socket_create(int descriptor, reachability_socket **socket, reachability_error *error)
    REACHABILITY_NONNULL((2));

/* Releases what was read. A watcher to which it was added keeps it until it is removed there. NULL is ignored. */
void reachability_socket_free(reachability_socket *socket);

/* Tells the present state. Start with reachability_socket_state state = { sizeof state }. */
int reachability_socket_get_state(
    reachability_socket *socket, reachability_socket_state *state, reachability_error *error)
    REACHABILITY_NONNULL((1, 2));

/* Told a state, which lives until the function returns. The same rules hold as for reachability_callback. */
typedef void (*reachability_socket_callback)(const reachability_socket_state *state, void *context);

/*
 * Calls back with the present state of a connection, and then with each change. Ended by reachability_watcher_remove. `socket`
 * may be released when this returns; `context` and `free_context` are those of reachability_watcher_add.
 */
int reachability_watcher_add_socket(
    reachability_watcher *watcher, reachability_socket *socket, reachability_socket_callback callback, void *context,
    reachability_free_callback free_context, uint64_t *identifier, reachability_error *error)
    REACHABILITY_NONNULL((1, 2, 3));

/* ---- Gates --------------------------------------------------------------------------------------------------------- */

/* Kinds of interface. */
enum {
    REACHABILITY_KIND_OTHER = 1 << 0,
    REACHABILITY_KIND_WIFI = 1 << 1,
    REACHABILITY_KIND_CELLULAR = 1 << 2,
    REACHABILITY_KIND_WIRED = 1 << 3,
    REACHABILITY_KIND_LOOPBACK = 1 << 4
};

/* What the network must be like for a transfer to begin. Zero means that a member asks for nothing. Start with
 * REACHABILITY_CONDITIONS_INIT. */
typedef struct reachability_conditions {
    /* sizeof(reachability_conditions). */
    size_t size;
    /* Not by a mobile network, and not by one that NetworkManager calls metered. */
    int not_expensive;
    /* Not by a network that NetworkManager calls metered. */
    int not_constrained;
    /* The one kind of interface that packets must leave by. */
    unsigned int required_kind;
    /* The kinds that they must not leave by. */
    unsigned int prohibited_kinds;
    /* How long all of this must have been so without a break. */
    unsigned int stable_milliseconds;
    /* Must be 0. */
    unsigned int reserved;
} reachability_conditions;

#define REACHABILITY_CONDITIONS_INIT { sizeof(reachability_conditions), 0, 0, 0, 0, 0, 0 }

/* What keeps a gate closed: reachability_watcher_create(3) says what each means. More bits may be added. */
enum {
    REACHABILITY_OBSTACLE_UNKNOWN = 1 << 0,
    REACHABILITY_OBSTACLE_UNREACHABLE = 1 << 1,
    REACHABILITY_OBSTACLE_INTERFACE = 1 << 2,
    REACHABILITY_OBSTACLE_EXPENSIVE = 1 << 3,
    REACHABILITY_OBSTACLE_CONSTRAINED = 1 << 4,
    REACHABILITY_OBSTACLE_UNSTABLE = 1 << 5
};

/* Told what keeps a gate closed; 0 if it is open. The same rules hold as for reachability_callback. */
typedef void (*reachability_gate_callback)(unsigned int obstacles, void *context);

/*
 * Calls back with what keeps a transfer to a target from beginning, and then with each change. With NULL for conditions, the
 * target must be reachable. Ended by reachability_watcher_remove. The target and the conditions may be released when this returns;
 * `context` and `free_context` are those of reachability_watcher_add.
 */
int reachability_watcher_add_gate(
    reachability_watcher *watcher, reachability_target *target, const reachability_conditions *conditions,
    reachability_gate_callback callback, void *context, reachability_free_callback free_context, uint64_t *identifier,
    reachability_error *error)
    REACHABILITY_NONNULL((1, 2, 4));

/* ---- Turning ------------------------------------------------------------------------------------------------------- */

/*
 * Does all that is due, without waiting, and makes the callbacks. If it is called late, nothing is lost: each callback is
 * told the newest flags, once.
 *
 * If the watcher no longer works, this returns why, again at each call, and the descriptor is not readable any more: the watcher
 * is that of the parent of a fork, or it has failed, because the program has closed a descriptor of the library, a filter
 * of system calls refuses epoll_wait(2) or epoll_ctl(2), or the program has given up the privilege that looking up a watched name
 * needs (network_namespace, mark). No callback follows. Release the watcher, and make another one.
 */
int reachability_watcher_process(reachability_watcher *watcher, reachability_error *error) REACHABILITY_NONNULL((1));

/*
 * Has everything that is watched looked at again by the next call of reachability_watcher_process; the descriptor is readable
 * until then. For a program that learns of a change from elsewhere, and for one that does not want to wait two seconds where
 * the kernel does not announce all changes (gVisor, some sandboxes).
 */
void reachability_watcher_recheck(reachability_watcher *watcher) REACHABILITY_NONNULL((1));

#ifdef __cplusplus
}
#endif

#endif
