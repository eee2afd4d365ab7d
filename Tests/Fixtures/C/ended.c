/* SPDX-License-Identifier: Apache-2.0
 *
 * Watchers that no longer work: one of the parent in the child of a fork, and one whose waiting a filter of system calls refuses.
 * Prints "ok". Changes the routes of its network namespace, which has the interface eth0 with 10.0.0.1/24.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <reachability.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static reachability_error error;
static int calls;
/* Contexts that were released. */
static int released;

static void told_flags(unsigned int flags, void *context) {
    (void)flags;
    (void)context;
    calls++;
}

static void told_path(const reachability_path *path, void *context) {
    (void)path;
    (void)context;
    calls++;
}

static void told_state(const reachability_socket_state *state, void *context) {
    (void)state;
    (void)context;
    calls++;
}

static void release(void *context) {
    (void)context;
    released++;
}

static int is_readable(reachability_watcher *watcher, int milliseconds) {
    struct pollfd request = { -1, POLLIN, 0 };
    request.fd = reachability_watcher_descriptor(watcher);
    return poll(&request, 1, milliseconds) == 1;
}

/* Watches a target, the path and a connection, until each has been told what is so. */
static reachability_watcher *watch(int connection) {
    reachability_watcher *watcher;
    reachability_target *target;
    reachability_socket *socket;

    calls = released = 0;
    CHECK(reachability_watcher_create(&watcher, &error) == REACHABILITY_OK);
    CHECK(reachability_target_create("192.0.2.1", NULL, &target, &error) == REACHABILITY_OK);
    CHECK(reachability_watcher_add(watcher, target, told_flags, NULL, release, NULL, &error) == REACHABILITY_OK);
    reachability_target_free(target);
    CHECK(reachability_watcher_add_path(watcher, NULL, told_path, NULL, NULL, NULL, &error) == REACHABILITY_OK);
    CHECK(reachability_socket_create(connection, &socket, &error) == REACHABILITY_OK);
    CHECK(reachability_watcher_add_socket(watcher, socket, told_state, NULL, NULL, NULL, &error) == REACHABILITY_OK);
    reachability_socket_free(socket);
    while (calls < 3) {
        CHECK(is_readable(watcher, 120000));
        CHECK(reachability_watcher_process(watcher, &error) == REACHABILITY_OK);
    }
    return watcher;
}

/* Has the network change, and requires that the watcher says why it no longer works, at each call, and is quiet then. The last
 * change stays. */
static void ends(reachability_watcher *watcher, int code, int number, const char *words) {
    int i, before = calls;

    CHECK(system("ip route add 192.0.2.1 via 10.0.0.254") == 0);
    CHECK(is_readable(watcher, 120000));
    for (i = 0; i < 4; i++) {
        memset(&error, 0, sizeof error);
        CHECK(reachability_watcher_process(watcher, &error) == code);
        CHECK(error.code == code && error.system_error == number && strstr(error.message, words) != NULL);
        CHECK(reachability_watcher_process(watcher, NULL) == code);
        CHECK(!is_readable(watcher, 0));
        CHECK(system(i % 2 ? "ip route add 192.0.2.1 via 10.0.0.254" : "ip route del 192.0.2.1") == 0);
    }
    CHECK(!is_readable(watcher, 0) && calls == before);
    reachability_watcher_free(watcher);
}

/* Has the kernel refuse to wait in epoll instances, and nothing else (seccomp(2)). */
static void refuse_waiting(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_epoll_wait
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_wait, 1, 0),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_pwait, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

int main(void) {
    struct sockaddr_in address;
    reachability_watcher *watcher;
    int udp = socket(AF_INET, SOCK_DGRAM, 0), status;
    pid_t child;

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(9);
    address.sin_addr.s_addr = htonl(0x0A000007);
    CHECK(connect(udp, (struct sockaddr *)&address, sizeof address) == 0);

    watcher = watch(udp);
    child = fork();
    if (child == 0) {
        ends(watcher, REACHABILITY_UNSUPPORTED, 0, "that of the parent");
        CHECK(released == 0);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    /* The child has taken nothing from the parent: its last change is told. */
    while (calls < 4) {
        CHECK(is_readable(watcher, 120000));
        CHECK(reachability_watcher_process(watcher, &error) == REACHABILITY_OK);
    }
    reachability_watcher_free(watcher);
    CHECK(released == 1);
    CHECK(system("ip route flush 192.0.2.1") == 0);

    watcher = watch(udp);
    refuse_waiting();
    ends(watcher, REACHABILITY_KERNEL_UNAVAILABLE, EPERM, "has failed, because");
    CHECK(released == 1);
    puts("ok");
    return 0;
}
