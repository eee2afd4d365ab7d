/* SPDX-License-Identifier: Apache-2.0
 *
 * glib-watcher TARGET: watches with GLib's GNetworkMonitor, for `make compare`. It reads commands and writes answers:
 *
 *   open        creates the monitor                       opened KIND NANOSECONDS BYTES
 *   ask         g_network_monitor_can_reach of TARGET     yes | no
 *   available   g_network_monitor_get_network_available   yes | no
 *   settle      runs until no timer is left               settled
 *   cost N M R  asks N times about TARGET, or, if M is    cost NANOSECONDS
 *               not 0, about M random addresses of the
 *               first R /24 networks from 20.0.0.0 on
 *   spent       processor time and wake-ups so far        spent NANOSECONDS WAKE-UPS
 *
 * At each signal it writes: told network NANOSECONDS (CLOCK_MONOTONIC).
 *
 * Without a TARGET it is the scenes' driver for GLib with this package's module (Tests/Scenes/README.md). At each signal it asks
 * again about all that is watched, as the signal does not say what has changed, and tells what is another answer.
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

/* The anonymous resident memory (RssAnon in proc_pid_status(5)). */
static long resident_bytes(void) {
    char line[256];
    long kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "RssAnon: %ld", &kilobytes) == 1) break;
    if (status) fclose(status);
    return kilobytes * 1024;
}

/* Reads an address with the C library, because GLib's own reader does not accept scopes. */
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

typedef struct {
    char *text;
    gboolean answer;
} Question;

static GPtrArray *watched;

static gboolean answer(const char *question) {
    GSocketConnectable *address;
    gboolean result;

    if (strcmp(question, "default") == 0) return g_network_monitor_get_network_available(monitor);
    address = address_of(question);
    result = g_network_monitor_can_reach(monitor, address, NULL, NULL);
    g_object_unref(address);
    return result;
}

static const char *word(gboolean answer) { return answer ? "yes" : "no"; }

static void perform_scene(const char *line) {
    if (g_str_has_prefix(line, "ask ")) {
        printf("answer reachable=%s\n", word(answer(line + strlen("ask "))));
    } else {
        Question *question = g_new(Question, 1);
        question->text = g_strdup(line + strlen("watch "));
        question->answer = answer(question->text);
        g_ptr_array_add(watched, question);
        printf("watching %s\n", question->text);
    }
}

static void on_change(GNetworkMonitor *changed, gboolean available, gpointer context) {
    (void)changed, (void)available, (void)context;
    for (guint i = 0; watched && i < watched->len; i++) {
        Question *question = g_ptr_array_index(watched, i);
        gboolean now = answer(question->text);
        if (now != question->answer) printf("told GLib %s -> reachable=%s\n", question->text, word(now));
        question->answer = now;
    }
    if (!watched) printf("told network %" G_GINT64_FORMAT "\n", nanoseconds(CLOCK_MONOTONIC));
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

/* Milliseconds until GLib's next timer; -1 if none is pending. */
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

/* Whether a timer of the module fires soon. Its timers are descriptors (timerfd_create(2)), whose time is no timeout of the main
 * loop; proc_pid_fdinfo(5) has it. The last look after a change comes within a second; the end of a route may be days away. A timer
 * of CLOCK_REALTIME (0) waits for a change of the clock. */
static gboolean awaits_descriptor(void) {
    gboolean found = FALSE;
    GDir *folder = g_dir_open("/proc/self/fdinfo", 0, NULL);
    for (const char *name; folder && !found && (name = g_dir_read_name(folder));) {
        unsigned long seconds, rest;
        gchar *path = g_build_filename("/proc/self/fdinfo", name, NULL), *text = NULL;
        if (g_file_get_contents(path, &text, NULL, NULL) && !strstr(text, "clockid: 0\n")) {
            const char *value = strstr(text, "it_value: (");
            found = value && sscanf(value, "it_value: (%lu, %lu)", &seconds, &rest) == 2 && seconds < 2 &&
                    (seconds > 0 || rest > 0);
        }
        g_free(text);
        g_free(path);
    }
    if (folder) g_dir_close(folder);
    return found;
}

/* Runs the main loop until GLib has processed all announcements and no timer is left. After a deleted route GLib reads
 * the whole table again a second later. */
static void settle(void) {
    for (;;) {
        while (g_main_context_iteration(NULL, FALSE)) {}
        if (timeout_of_main_loop() < 0 && !awaits_descriptor()) break;
        g_main_context_iteration(NULL, TRUE);
    }
    puts("settled");
}

/* The addresses are created before the measurement starts. */
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

static void perform(const char *command) {
    int count, addresses, networks;
    if (strcmp(command, "open") == 0) {
        open_monitor();
    } else if (strcmp(command, "ask") == 0) {
        puts(word(g_network_monitor_can_reach(monitor, target, NULL, NULL)));
    } else if (strcmp(command, "available") == 0) {
        puts(word(g_network_monitor_get_network_available(monitor)));
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

/* The main loop runs between commands, so announcements are read as they come, as in a real program. */
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
        if (watched) perform_scene(unread);
        else perform(unread);
        length -= (size_t)(end + 1 - unread);
        memmove(unread, end + 1, length);
    }
    return G_SOURCE_CONTINUE;
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count == 2) {
        target = address_of(arguments[1]);
    } else {
        watched = g_ptr_array_new();
        monitor = g_network_monitor_get_default();
        if (strcmp(G_OBJECT_TYPE_NAME(monitor), "ReachabilityMonitor") != 0) return 1;
        g_signal_connect(monitor, "network-changed", G_CALLBACK(on_change), NULL);
    }
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    g_unix_fd_add(STDIN_FILENO, G_IO_IN | G_IO_HUP, on_input, loop);
    g_main_loop_run(loop);
    return 0;
}
