/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the flags of a host whenever they change, on GLib's main loop:
 *     cc glib.c $(pkg-config --cflags --libs reachability glib-2.0) -o glib && ./glib www.swift.org
 */
#include <glib-unix.h>
#include <reachability.h>
#include <stdio.h>
#include <stdlib.h>

static long calls_left;
static GMainLoop *loop;

static void changed(unsigned int flags, void *host) {
    printf("%s: 0x%08x\n", (const char *)host, flags);
    fflush(stdout);
    if (--calls_left == 0) g_main_loop_quit(loop);
}

static gboolean ready(gint descriptor, GIOCondition condition, gpointer watcher) {
    reachability_error error;
    (void)descriptor;
    (void)condition;
    if (reachability_watcher_process(watcher, &error) == REACHABILITY_OK) return G_SOURCE_CONTINUE;
    fprintf(stderr, "%s\n", error.message);
    g_main_loop_quit(loop);
    return G_SOURCE_CONTINUE;
}

int main(int count, char **words) {
    reachability_target *target;
    reachability_watcher *watcher;
    reachability_error error;
    guint source;

    if (count < 2) return 64;
    calls_left = count > 2 ? atol(words[2]) : -1;
    loop = g_main_loop_new(NULL, FALSE);
    if (reachability_target_create(words[1], NULL, &target, &error)
        || reachability_watcher_create(&watcher, &error)
        || reachability_watcher_add(watcher, target, changed, words[1], NULL, NULL, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    source = g_unix_fd_add(reachability_watcher_descriptor(watcher), G_IO_IN, ready, watcher);
    g_main_loop_run(loop);
    g_source_remove(source);
    reachability_watcher_free(watcher);
    reachability_target_free(target);
    g_main_loop_unref(loop);
    return 0;
}
