/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CReachabilityTesting.h"

static char refusal[256];
static int is_own_network;

int reachability_testing_is_own_network(void) {
    return is_own_network;
}

const char *reachability_testing_refusal(void) {
    return refusal;
}

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char variable[] = "REACHABILITY_TEST_MACHINE";

static int fail(const char *what) {
    snprintf(refusal, sizeof refusal, "%s: %s", what, strerror(errno));
    return -1;
}

static int write_file(const char *path, const char *text) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) return fail(path);
    ssize_t count = write(descriptor, text, strlen(text));
    int error = errno;
    close(descriptor);
    errno = error;
    return count == (ssize_t)strlen(text) ? 0 : fail(path);
}

/* capget(2), linux/capability.h. */
enum { capability_version = 0x20080522, capability_words = 2, net_admin = 12, sys_admin = 21 };

struct capabilities {
    struct {
        unsigned version;
        int process;
    } header;
    struct {
        unsigned effective, permitted, inheritable;
    } words[capability_words];
};

static int get_capabilities(struct capabilities *all) {
    memset(all, 0, sizeof *all);
    all->header.version = capability_version;
    return (int)syscall(SYS_capget, &all->header, all->words);
}

/* Whether the process has the capabilities that making and using the other namespaces takes. */
static int is_privileged(void) {
    struct capabilities own;
    unsigned wanted = 1U << sys_admin | 1U << net_admin;
    return get_capabilities(&own) == 0 && (own.words[0].effective & wanted) == wanted;
}

/* Passes the capabilities in the new user namespace to the programs that a test starts: those of a user who is not root end at
 * execve(2), unless they are ambient (capabilities(7)). */
static int keep_capabilities(void) {
    struct capabilities own;
    if (get_capabilities(&own) != 0) return fail("capget");
    for (int word = 0; word < capability_words; word++) own.words[word].inheritable = own.words[word].permitted;
    if (syscall(SYS_capset, &own.header, own.words) != 0) return fail("capset");
    for (int number = 0; number < 32 * capability_words; number++) {
        if (own.words[number / 32].permitted >> number % 32 & 1)
            prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, number, 0, 0);
    }
    return 0;
}

static int enter_namespaces(void) {
    char line[64];
    unsigned user = geteuid(), group = getegid();
    if (is_privileged() && unshare(CLONE_NEWNET | CLONE_NEWNS) == 0) return 0;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) != 0) return fail("unshare");
    /* An unprivileged process must do this before it maps a group (user_namespaces(7)). */
    if (write_file("/proc/self/setgroups", "deny") != 0) return -1;
    snprintf(line, sizeof line, "%u %u 1", user, user);
    if (write_file("/proc/self/uid_map", line) != 0) return -1;
    snprintf(line, sizeof line, "%u %u 1", group, group);
    if (write_file("/proc/self/gid_map", line) != 0) return -1;
    return keep_capabilities();
}

static int bring_up_loopback(void) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "lo");
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return fail("socket");
    int result = ioctl(descriptor, SIOCGIFFLAGS, &request);
    request.ifr_flags |= IFF_UP;
    if (result == 0) result = ioctl(descriptor, SIOCSIFFLAGS, &request);
    if (result != 0) fail("bringing lo up");
    close(descriptor);
    return result;
}

/* A Unix socket is reached by its path from any network namespace. These belong to daemons that answer questions about names and
 * the network: nscd, systemd-resolved, the system bus, Avahi, mDNSResponder. */
static int hide_daemons(void) {
    static const char *const places[] = {
        "/run/nscd", "/var/run/nscd", "/run/systemd/resolve", "/run/dbus", "/var/run/dbus", "/run/avahi-daemon",
        "/run/mdnsd", "/var/run/mdnsd",
    };
    for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
        struct stat status;
        if (stat(places[place], &status) != 0) continue;
        int result = S_ISDIR(status.st_mode)
            ? mount("none", places[place], "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755")
            : mount("/dev/null", places[place], NULL, MS_BIND, NULL);
        if (result != 0) return fail(places[place]);
    }
    return 0;
}

/* Puts a file that the test may write to in the place of one of the host's. */
static int replace(const char *path, const char *own, const char *text) {
    if (write_file(own, text) != 0) return -1;
    return mount(own, path, NULL, MS_BIND, NULL) == 0 ? 0 : fail(path);
}

static int replace_files(void) {
    char hosts[512], name[256] = "localhost";
    gethostname(name, sizeof name - 1);
    snprintf(hosts, sizeof hosts, "127.0.0.1 localhost\n::1 localhost ip6-localhost\n127.0.1.1 %s\n", name);
    /* What resolv.conf is a link to where systemd-resolved writes it was hidden above. */
    struct stat status;
    if (stat("/run/systemd/resolve", &status) == 0 &&
        (write_file("/run/systemd/resolve/stub-resolv.conf", "") != 0 ||
         write_file("/run/systemd/resolve/resolv.conf", "") != 0))
        return -1;
    /* The files stay where they are bound to after the file system has no place of its own any more. */
    if (mount("none", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755") != 0) return fail("/tmp");
    if (replace("/etc/resolv.conf", "/tmp/resolv.conf", "") != 0) return -1;
    if (replace("/etc/hosts", "/tmp/hosts", hosts) != 0) return -1;
    /* Without the file, the C library does the same. */
    if (stat("/etc/nsswitch.conf", &status) == 0 &&
        replace("/etc/nsswitch.conf", "/tmp/nsswitch.conf",
                "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\nservices: files\n"
                "protocols: files\n") != 0)
        return -1;
    return umount2("/tmp", MNT_DETACH) == 0 ? 0 : fail("/tmp");
}

static void clean_environment(void) {
    static const char *const names[] = {
        "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY",
        "ALL_PROXY", "NO_PROXY", "LOCALDOMAIN", "RES_OPTIONS", "HOSTALIASES", "DBUS_SYSTEM_BUS_ADDRESS",
    };
    for (size_t name = 0; name < sizeof names / sizeof *names; name++) unsetenv(names[name]);
}

/* The network namespace of the process, as in "net:[4026531840]". */
static void name_network(char name[64]) {
    ssize_t length = readlink("/proc/self/ns/net", name, 63);
    name[length < 0 ? 0 : length] = 0;
}

static int make_machine(void) {
    if (enter_namespaces() != 0) return -1;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return fail("making mounts private");
    if (bring_up_loopback() != 0 || hide_daemons() != 0 || replace_files() != 0) return -1;
    /* Some containers forbid it. Then /sys shows the devices of the host. */
    (void)!mount("none", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    clean_environment();
    char name[64];
    name_network(name);
    if (setenv(variable, name, 1) != 0) return fail("setenv");
    is_own_network = 1;
    return 0;
}

/* The parent is killed together with its tests, and may attach a debugger to one that hangs (ptrace_scope of Yama). */
static void belong_to(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_PTRACER, parent, 0, 0, 0);
    if (getppid() != parent) _exit(reachability_testing_refused);
}

/* Constructors run before main, while the process has one thread. */
__attribute__((constructor(101))) static void make_machine_before_main(void) {
    const char *wish = getenv(variable), *mode = getenv("NETWORK_TESTING");
    int parent = 0;
    if (wish && (sscanf(wish, "make %d", &parent) == 1 || sscanf(wish, "try %d", &parent) == 1)) {
        int is_try = wish[0] == 't';
        fcntl(3, F_SETFD, FD_CLOEXEC);
        int result = make_machine();
        if (result != 0) fprintf(stderr, "%s\n", refusal);
        if (result != 0 || is_try) _exit(result == 0 ? 0 : reachability_testing_refused);
        belong_to(parent);
    } else if (wish) {
        char name[64];
        name_network(name);
        is_own_network = strcmp(wish, name) == 0;
    }
    if (!is_own_network && mode && strcmp(mode, "here") == 0) (void)make_machine();
}
#endif
