/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CTestTopology.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_tun.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

extern char **environ;

/* The time limit of a child. A child that hangs is killed, so that its parent does not hang as well. */
enum { patience_seconds = 600 };

/* Values that older headers lack. */
#ifndef TUNSETCARRIER
#define TUNSETCARRIER _IOW('T', 226, int) /* linux/if_tun.h, Linux 5.0 */
#endif
#ifndef IFF_NO_CARRIER
#define IFF_NO_CARRIER 0x0040 /* linux/if_tun.h, Linux 6.0 */
#endif

int topology_enter_new_network(void) {
    return unshare(CLONE_NEWNET);
}

int topology_enter_new_network_with_sysfs(void) {
    if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) return -1;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
    return mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

void topology_refuse_huge_pages(void) {
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

int topology_thread_id(void) {
    return (int)syscall(SYS_gettid);
}

static int write_file(const char *path, int flags, const char *text, size_t length) {
    int descriptor = open(path, flags | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor < 0) return -1;
    ssize_t count = write(descriptor, text, length);
    int error = errno;
    close(descriptor);
    errno = count < 0 ? error : EIO;
    return count == (ssize_t)length ? 0 : -1;
}

int topology_write_file(const char *path, const char *text, size_t length) {
    return write_file(path, 0, text, length);
}

int topology_append_file(const char *path, const char *text, size_t length) {
    return write_file(path, O_CREAT | O_APPEND, text, length);
}

int topology_open_tun(const char *name, int layer2, int carrier) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    if (strlen(name) >= sizeof request.ifr_name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(request.ifr_name, name);
    request.ifr_flags = (short)((layer2 ? IFF_TAP : IFF_TUN) | IFF_NO_PI | (carrier ? 0 : IFF_NO_CARRIER));
    int descriptor = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return -1;
    if (ioctl(descriptor, TUNSETIFF, &request) != 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

int topology_set_link_type(int descriptor, int type) {
    return ioctl(descriptor, TUNSETLINK, (unsigned long)type);
}

int topology_set_carrier(int descriptor, int carrier) {
    return ioctl(descriptor, TUNSETCARRIER, &carrier);
}

static int spawn(
    char *const arguments[], posix_spawn_file_actions_t *actions, int ignored, short flags, char **environment,
    pid_t *child) {
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    /* Other tests hold descriptors that are not close-on-exec, such as those of accept(2) and dup(2). */
    posix_spawn_file_actions_addclosefrom_np(actions, 3);
    posix_spawnattr_init(&attributes);
    /* The child must not inherit the signal mask of the calling thread, which may block all signals. */
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGMASK | flags));
    /* The child inherits ignored signals, but no handlers (signal(7)). */
    void (*before)(int) = ignored ? signal(ignored, SIG_IGN) : SIG_DFL;
    int error = posix_spawnp(child, arguments[0], actions, &attributes, arguments, environment);
    if (ignored) signal(ignored, before);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Memory files instead of pipes, so that nothing has to be read while the child writes. */
static int start(char *const arguments[], int input, int output, int complaints, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, complaints, 2);
    int error = spawn(arguments, &actions, 0, 0, environ, child);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int topology_run(char *const arguments[], const char *text, size_t length, int *output, int *complaints) {
    int input = memfd_create("input", MFD_CLOEXEC);
    *output = memfd_create("output", MFD_CLOEXEC);
    *complaints = memfd_create("complaints", MFD_CLOEXEC);
    pid_t child = 0;
    int error = 0;
    if (input < 0 || *output < 0 || *complaints < 0 || write(input, text, length) != (ssize_t)length) {
        error = errno;
    } else {
        lseek(input, 0, SEEK_SET);
        error = start(arguments, input, *output, *complaints, &child);
    }
    if (input >= 0) close(input);
    int status = -1;
    if (error == 0) {
        status = topology_wait_for_child(child);
        lseek(*output, 0, SEEK_SET);
        lseek(*complaints, 0, SEEK_SET);
    } else {
        if (*output >= 0) close(*output);
        if (*complaints >= 0) close(*complaints);
        *output = *complaints = -1;
    }
    errno = error;
    return status;
}

pid_t topology_fork(int (*body)(void *context), void *context) {
    pid_t child = fork();
    if (child == 0) {
        /* The thread may block all signals. */
        sigset_t limit;
        sigemptyset(&limit);
        sigaddset(&limit, SIGALRM);
        sigprocmask(SIG_UNBLOCK, &limit, NULL);
        alarm(patience_seconds);
        _exit(body(context));
    }
    return child;
}

int topology_wait_for_child(pid_t child) {
    int state = 0;
    /* pidfd_open(2), Linux 5.3: readable when the child has ended. */
    int end = (int)syscall(SYS_pidfd_open, child, 0);
    if (end >= 0) {
        struct pollfd wanted = {.fd = end, .events = POLLIN};
        int ready;
        while ((ready = poll(&wanted, 1, patience_seconds * 1000)) < 0 && errno == EINTR) {}
        if (ready == 0) kill(child, SIGKILL);
        close(end);
    }
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

int topology_start(char *const arguments[], int ignored, int *output, int *complaints, pid_t *child) {
    int results[2], problems[2];
    if (pipe2(results, O_CLOEXEC) != 0) return -1;
    if (pipe2(problems, O_CLOEXEC) != 0) {
        close(results[0]);
        close(results[1]);
        return -1;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, results[1], 1);
    posix_spawn_file_actions_adddup2(&actions, problems[1], 2);
    int error = spawn(arguments, &actions, ignored, 0, environ, child);
    posix_spawn_file_actions_destroy(&actions);
    close(results[1]);
    close(problems[1]);
    if (error != 0) {
        close(results[0]);
        close(problems[0]);
        errno = error;
        return -1;
    }
    *output = results[0];
    *complaints = problems[0];
    return 0;
}

int topology_start_on_terminal(char *const arguments[], int columns, int rows, int *terminal, pid_t *child) {
    char name[128];
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0) return -1;
    int error = 0;
    if (grantpt(master) != 0 || unlockpt(master) != 0 || topology_resize(master, columns, rows) != 0) error = errno;
    if (error == 0) error = ptsname_r(master, name, sizeof name);
    if (error == 0) {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        /* The first terminal that a session leader opens becomes the terminal of the session (setsid(2), tty(4)). */
        posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0);
        posix_spawn_file_actions_adddup2(&actions, 0, 1);
        posix_spawn_file_actions_adddup2(&actions, 0, 2);
        /* A program under Thread Sanitizer needs the preloaded library that describes Swift's mutex (Scripts/sanitize). */
        char *environment[6] = {"TERM=xterm", "PATH=/usr/bin:/bin", "TZ=UTC"};
        size_t count = 3;
        for (char **entry = environ; *entry && count < 5; entry++) {
            if (strncmp(*entry, "LD_PRELOAD=", 11) == 0 || strncmp(*entry, "TSAN_OPTIONS=", 13) == 0)
                environment[count++] = *entry;
        }
        error = spawn(arguments, &actions, 0, POSIX_SPAWN_SETSID, environment, child);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (error != 0) {
        close(master);
        errno = error;
        return -1;
    }
    *terminal = master;
    return 0;
}

int topology_resize(int terminal, int columns, int rows) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    return ioctl(terminal, TIOCSWINSZ, &size);
}

int topology_is_terminal_cooked(int terminal) {
    struct termios state;
    if (tcgetattr(terminal, &state) != 0) return -1;
    return (state.c_lflag & (ECHO | ICANON | ISIG)) == (ECHO | ICANON | ISIG);
}

int topology_wait_readable(int descriptor, int timeout_milliseconds) {
    struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
    return poll(&wanted, 1, timeout_milliseconds);
}

int topology_forge_netlink(uint32_t port, uint32_t group, const void *bytes, size_t length, int times) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    socklen_t size = sizeof address;
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    int taken = 0, error = 0;
    if (descriptor < 0) return -errno;
    /* A message to a group also goes to a port. It must not be the kernel's, which would obey the message. */
    bind(descriptor, (struct sockaddr *)&address, sizeof address);
    getsockname(descriptor, (struct sockaddr *)&address, &size);
    if (group == 0) address.nl_pid = port;
    address.nl_groups = group == 0 ? 0 : 1u << (group - 1);
    for (int i = 0; i < times; i++) {
        if (sendto(descriptor, bytes, length, MSG_DONTWAIT, (struct sockaddr *)&address, sizeof address) >= 0)
            taken++;
        else
            error = errno;
    }
    close(descriptor);
    return taken > 0 ? taken : -error;
}

/* Reads an address; NULL if the text is none. Port 9 is "discard". Free with freeaddrinfo(3). */
static struct addrinfo *read_address(const char *text) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *address = NULL;
    return getaddrinfo(text, "9", &hints, &address) == 0 ? address : NULL;
}

int topology_udp_socket(const char *destination, const char *source, uint32_t mark, uid_t user) {
    struct addrinfo *remote = read_address(destination);
    if (!remote) return -EINVAL;
    int family = remote->ai_family;
    freeaddrinfo(remote);
    /* The owner of a socket is the file system user id at its creation (sock_init_data_uid in net/core/sock.c). */
    int before = setfsuid(user);
    int descriptor = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int error = errno;
    setfsuid((uid_t)before);
    if (descriptor < 0) return -error;
    const int yes = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
    if (mark != 0 && setsockopt(descriptor, SOL_SOCKET, SO_MARK, &mark, sizeof mark) != 0) goto failed;
    if (source) {
        struct addrinfo *local = read_address(source);
        if (!local) {
            errno = EINVAL;
            goto failed;
        }
        if (family == AF_INET) ((struct sockaddr_in *)local->ai_addr)->sin_port = 0;
        else ((struct sockaddr_in6 *)local->ai_addr)->sin6_port = 0;
        int bound = bind(descriptor, local->ai_addr, local->ai_addrlen);
        error = errno;
        freeaddrinfo(local);
        errno = error;
        if (bound != 0) goto failed;
    }
    return descriptor;
failed:
    error = errno;
    close(descriptor);
    return -error;
}

int topology_udp_connect(int descriptor, const char *destination, char *source, size_t size) {
    /* Clears the choice of an earlier call. */
    const struct sockaddr nothing = {.sa_family = AF_UNSPEC};
    connect(descriptor, &nothing, sizeof nothing);
    struct addrinfo *remote = read_address(destination);
    if (!remote) return EINVAL;
    int error = connect(descriptor, remote->ai_addr, remote->ai_addrlen) == 0 ? 0 : errno;
    freeaddrinfo(remote);
    if (error != 0) return error;
    struct sockaddr_storage chosen;
    socklen_t length = sizeof chosen;
    if (getsockname(descriptor, (struct sockaddr *)&chosen, &length) != 0) return errno;
    return getnameinfo((struct sockaddr *)&chosen, length, source, (socklen_t)size, NULL, 0, NI_NUMERICHOST) == 0 ? 0 : EIO;
}

int topology_open_slow_listener(void) {
    static const int groups[] = {
        RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_IFADDR,
        RTNLGRP_IPV6_ROUTE, RTNLGRP_IPV6_RULE, RTNLGRP_NEXTHOP};
    /* Divisions are slow. As many as fit into the option memory of a socket in Linux 5.10, where optmem_max is 20480. */
    enum { length = 2000 };
    struct sock_filter program[length];
    for (int index = 0; index < length - 1; index++)
        program[index] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 3);
    program[length - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
    const struct sock_fprog filter = {.len = length, .filter = program};
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (descriptor < 0) return -errno;
    if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0) goto failed;
    /* The socket needs a port, because announcements skip port 0 (nlmsg_notify in net/netlink/af_netlink.c). */
    const struct sockaddr_nl own = {.nl_family = AF_NETLINK};
    if (bind(descriptor, (const struct sockaddr *)&own, sizeof own) != 0) goto failed;
    for (size_t index = 0; index < sizeof groups / sizeof *groups; index++)
        if (setsockopt(descriptor, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[index], sizeof(int)) != 0) goto failed;
    return descriptor;
failed:;
    int error = errno;
    close(descriptor);
    return -error;
}
