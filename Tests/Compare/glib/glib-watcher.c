/* SPDX-License-Identifier: Apache-2.0
 *
 * glib-watcher TARGET: GLib's GNetworkMonitor, controlled by the lines that `make compare` sends to each watcher.
 *
 *   open        makes the monitor          opened KIND NANOSECONDS BYTES
 *   ask         g_network_monitor_can_reach about TARGET       yes | no
 *   available   g_network_monitor_get_network_available        yes | no
 *   settle      runs until only changes can wake it            settled
 *   cost N M R  N questions, about TARGET, or where M is not   cost NANOSECONDS
 *               0, about M addresses, drawn from the first
 *               R networks of 256 from 20.0.0.0 on
 *   spent       since it was started                           spent NANOSECONDS WAKE-UPS
 *
 * and for each change: told network NANOSECONDS (CLOCK_MONOTONIC).
 */
#include <errno.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static GNetworkMonitor *monitor;
static GSocketConnectable *target;

static gint64 nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (gint64)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The anonymous memory of this process (RssAnon in proc_pid_status(5)). */
static long resident_bytes(void) {
    char line[256];
    long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "RssAnon: %ld", &kilobytes) == 1) break;
    if (status) fclose(status);
    return kilobytes * 1024;
}

/* Reads an address with the C library, which knows scopes. GLib's own reader does not. */
static GSocketConnectable *address_of(const char *text) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *found;
    int status = getaddrinfo(text, "443", &hints, &found);
    if (status != 0) {
        fprintf(stderr, "glib-watcher: %s: %s\n", text, gai_strerror(status));
        exit(64);
    }
    GSocketAddress *address = g_socket_address_new_from_native(found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return G_SOCKET_CONNECTABLE(address);
}

static void on_change(GNetworkMonitor *changed, gboolean available, gpointer context) {
    (void)changed, (void)available, (void)context;
    printf("told network %" G_GINT64_FORMAT "\n", nanoseconds(CLOCK_MONOTONIC));
}

static void open_monitor(void) {
    long before = resident_bytes();
    gint64 start = nanoseconds(CLOCK_MONOTONIC);
    monitor = g_network_monitor_get_default();
    g_network_monitor_can_reach(monitor, target, NULL, NULL);
    gint64 end = nanoseconds(CLOCK_MONOTONIC);
    g_signal_connect(monitor, "network-changed", G_CALLBACK(on_change), NULL);
    printf("opened %s %" G_GINT64_FORMAT " %ld\n", G_OBJECT_TYPE_NAME(monitor), end - start,
           resident_bytes() - before);
}

/* How long the main loop would sleep if nothing happened; -1 for ever, when no timer of GLib is pending. */
static int timeout_of_main_loop(void) {
    GPollFD descriptors[16];
    int priority, timeout = 0;
    GMainContext *context = g_main_context_default();
    if (!g_main_context_acquire(context)) abort();
    g_main_context_prepare(context, &priority);
    g_main_context_query(context, priority, &timeout, descriptors, G_N_ELEMENTS(descriptors));
    g_main_context_release(context);
    return timeout;
}

/* Reads all announcements, and waits as long as GLib does: after a deleted route, GLib reads the whole table again a second
 * later. */
static void settle(void) {
    for (;;) {
        while (g_main_context_iteration(NULL, FALSE)) {}
        if (timeout_of_main_loop() < 0) break;
        g_main_context_iteration(NULL, TRUE);
    }
    puts("settled");
}

/* The addresses are made before the clock starts. */
static void measure(int count, int addresses, int networks) {
    GSocketConnectable **others = g_new(GSocketConnectable *, addresses > 0 ? addresses : 1);
    for (int i = 0; i < addresses; i++) {
        char text[32];
        int network = (int)(random() % networks);
        snprintf(text, sizeof text, "%d.%d.%d.1", 20 + (network >> 16), network >> 8 & 255, network & 255);
        others[i] = address_of(text);
    }
    gint64 start = nanoseconds(CLOCK_MONOTONIC);
    for (int i = 0; i < count; i++)
        g_network_monitor_can_reach(monitor, addresses > 0 ? others[i % addresses] : target, NULL, NULL);
    gint64 end = nanoseconds(CLOCK_MONOTONIC);
    for (int i = 0; i < addresses; i++) g_object_unref(others[i]);
    g_free(others);
    printf("cost %f\n", (double)(end - start) / count);
}

static void obey(const char *command) {
    int count, addresses, networks;
    if (strcmp(command, "open") == 0) {
        open_monitor();
    } else if (strcmp(command, "ask") == 0) {
        puts(g_network_monitor_can_reach(monitor, target, NULL, NULL) ? "yes" : "no");
    } else if (strcmp(command, "available") == 0) {
        puts(g_network_monitor_get_network_available(monitor) ? "yes" : "no");
    } else if (strcmp(command, "settle") == 0) {
        settle();
    } else if (sscanf(command, "cost %d %d %d", &count, &addresses, &networks) == 3) {
        measure(count, addresses, networks);
    } else if (strcmp(command, "spent") == 0) {
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("spent %" G_GINT64_FORMAT " %ld\n", nanoseconds(CLOCK_PROCESS_CPUTIME_ID), usage.ru_nvcsw);
    } else {
        printf("unknown command: %s\n", command);
    }
}

/* Commands are read by the main loop, so that announcements are read as they come, as in a program. */
static gboolean on_input(gint descriptor, GIOCondition condition, gpointer context) {
    static char unread[1024];
    static size_t length;
    (void)condition;
    ssize_t count = read(descriptor, unread + length, sizeof unread - 1 - length);
    if (count <= 0) {
        g_main_loop_quit(context);
        return G_SOURCE_REMOVE;
    }
    length += (size_t)count;
    for (char *end; (end = memchr(unread, '\n', length));) {
        *end = 0;
        obey(unread);
        length -= (size_t)(end + 1 - unread);
        memmove(unread, end + 1, length);
    }
    return G_SOURCE_CONTINUE;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fputs("usage: glib-watcher TARGET\n", stderr);
        return 64;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    target = address_of(arguments[1]);
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    g_unix_fd_add(STDIN_FILENO, G_IO_IN | G_IO_HUP, on_input, loop);
    g_main_loop_run(loop);
    return 0;
}
