/* SPDX-License-Identifier: Apache-2.0
 *
 * The scenes' driver for GLib's GNetworkMonitor. At each signal it asks again about all that is watched, as the signal does not
 * say what has changed, and tells what is another answer. See Tests/Scenes/README.md for the lines it reads and writes.
 */
#include <gio/gio.h>
#include <glib-unix.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char *text;
    gboolean answer;
} Question;

static GNetworkMonitor *monitor;
static GPtrArray *watched;

static gboolean ask(const char *question) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM}, *found;
    GSocketAddress *address;
    gboolean result;

    if (strcmp(question, "default") == 0) return g_network_monitor_get_network_available(monitor);
    /* GLib's own reader does not accept scopes. */
    if (getaddrinfo(question, "443", &hints, &found) != 0) {
        fprintf(stderr, "scene-glib: no address: %s\n", question);
        exit(64);
    }
    address = g_socket_address_new_from_native(found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    result = g_network_monitor_can_reach(monitor, G_SOCKET_CONNECTABLE(address), NULL, NULL);
    g_object_unref(address);
    return result;
}

static const char *word(gboolean answer) { return answer ? "yes" : "no"; }

static void on_change(GNetworkMonitor *changed, gboolean available, gpointer context) {
    (void)changed, (void)available, (void)context;
    for (guint i = 0; i < watched->len; i++) {
        Question *question = g_ptr_array_index(watched, i);
        gboolean answer = ask(question->text);
        if (answer != question->answer) printf("told GLib %s -> reachable=%s\n", question->text, word(answer));
        question->answer = answer;
    }
}

static void perform(const char *line) {
    if (g_str_has_prefix(line, "ask ")) {
        printf("answer reachable=%s\n", word(ask(line + strlen("ask "))));
    } else if (g_str_has_prefix(line, "watch ")) {
        Question *question = g_new(Question, 1);
        question->text = g_strdup(line + strlen("watch "));
        question->answer = ask(question->text);
        g_ptr_array_add(watched, question);
        printf("watching %s\n", question->text);
    } else {
        fprintf(stderr, "scene-glib: not for this driver: %s\n", line);
        exit(64);
    }
}

/* The next line comes only after this one's answer. */
static gboolean on_input(gint descriptor, GIOCondition condition, gpointer loop) {
    char line[512];
    ssize_t count = read(descriptor, line, sizeof line - 1);
    (void)condition;

    if (count <= 0) {
        g_main_loop_quit(loop);
        return G_SOURCE_REMOVE;
    }
    line[count] = '\0';
    line[strcspn(line, "\n")] = '\0';
    perform(line);
    return G_SOURCE_CONTINUE;
}

int main(void) {
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);

    setvbuf(stdout, NULL, _IOLBF, 0);
    watched = g_ptr_array_new();
    monitor = g_network_monitor_get_default();
    if (strcmp(G_OBJECT_TYPE_NAME(monitor), "ReachabilityMonitor") != 0) {
        fprintf(stderr, "scene-glib: not the module's monitor: %s\n", G_OBJECT_TYPE_NAME(monitor));
        return 1;
    }
    g_signal_connect(monitor, "network-changed", G_CALLBACK(on_change), NULL);
    g_unix_fd_add(STDIN_FILENO, G_IO_IN | G_IO_HUP, on_input, loop);
    g_main_loop_run(loop);
    return 0;
}
