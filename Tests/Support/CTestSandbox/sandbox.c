/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CTestSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* EX_OSERR of sysexits(3). */
enum { cannot_isolate = 71 };

static void fail(const char *what) {
    fprintf(stderr, "sandbox: %s: %s\n", what, strerror(errno));
    exit(cannot_isolate);
}

static void write_line(const char *path, const char *line) {
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0 || write(descriptor, line, strlen(line)) != (ssize_t)strlen(line)) fail(path);
    close(descriptor);
}

static void enter_as_user(uid_t user, gid_t group) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0) {
        fprintf(stderr,
                "sandbox: this machine does not allow this user to make namespaces (%s).\n"
                "Run the tests as root, or allow it: see the settings kernel.unprivileged_userns_clone,\n"
                "user.max_user_namespaces and kernel.apparmor_restrict_unprivileged_userns of sysctl(8); in a\n"
                "container, its seccomp profile must allow unshare(2).\n",
                strerror(errno));
        exit(cannot_isolate);
    }
    char line[64];
    /* An unprivileged process must do this before it maps a group (user_namespaces(7)). */
    write_line("/proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "0 %u 1", (unsigned)user);
    write_line("/proc/self/uid_map", line);
    snprintf(line, sizeof line, "0 %u 1", (unsigned)group);
    write_line("/proc/self/gid_map", line);
}

static void bring_up_loopback(void) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "lo");
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) fail("a socket");
    if (ioctl(descriptor, SIOCGIFFLAGS, &request) != 0) fail("the flags of lo");
    request.ifr_flags |= IFF_UP;
    if (ioctl(descriptor, SIOCSIFFLAGS, &request) != 0) fail("bringing lo up");
    close(descriptor);
}

void test_sandbox_enter(void) {
    if (getenv("TEST_SANDBOX")) return;
    /* Root in a container may lack CAP_SYS_ADMIN, and is then treated as an ordinary user. */
    if (geteuid() != 0 || unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) enter_as_user(geteuid(), getegid());
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) fail("making mounts private");
    /* Some containers hide parts of /sys and forbid a new mount. Tests that need it are reported as not run. */
    if (mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        fprintf(stderr, "sandbox: /sys still shows the network of the machine: %s\n", strerror(errno));
    /* A private /run hides the named namespaces of the command (ip-netns(8)) from others, and the machine's system bus, whose
     * socket is reachable from any network namespace, from the command. */
    if (mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") == 0) {
        mkdir("/run/netns", 0755);
        unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
    } else {
        setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent", 1);
    }
    bring_up_loopback();
    setenv("TEST_SANDBOX", "1", 1);
}
