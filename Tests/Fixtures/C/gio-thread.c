/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes GLib's monitor in a thread, while the main loop runs in another. NetworkManager is played by the functions below,
 * which the module calls instead of the library's. Prints the connectivity and whether the network is metered, as they are
 * told first, then each connectivity that is told after the default route is gone, until that is G_NETWORK_CONNECTIVITY_LOCAL.
 * With an argument, the default route is there only while the new monitor asks for the path.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <gio/gio.h>
#include <reachability.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static GMainLoop *loop;
static gboolean is_route_short;

static void run(const char *command) { CHECK(system(command) == 0); }

/* Whether the main loop may run the watcher. */
static gboolean is_attached(void) {
    guint number;
    for (number = 1; number < 100; number++) {
        GSource *source = g_main_context_find_source_by_id(NULL, number);
        if (source && g_strcmp0(g_source_get_name(source), "reachability") == 0) return TRUE;
    }
    return FALSE;
}

/* A question waits for NetworkManager, for a tenth of a second. A watcher knows nothing of it yet. */
int reachability_path_get(const reachability_options *options, reachability_path *path, reachability_error *error) {
    int (*get)(const reachability_options *, reachability_path *, reachability_error *) =
        dlsym(RTLD_NEXT, "reachability_path_get");
    int code;
    CHECK(get && options && options->timeout_milliseconds == 100);
    if (is_route_short) run("ip route add default via 10.0.0.254");
    code = get(options, path, error);
    if (is_route_short) run("ip route del default");
    path->connectivity = REACHABILITY_CONNECTIVITY_PORTAL;
    path->is_expensive = 1;
    return code;
}

/* A watcher belongs to one thread at a time. */
int reachability_watcher_process(reachability_watcher *watcher, reachability_error *error) {
    int (*process)(reachability_watcher *, reachability_error *) = dlsym(RTLD_NEXT, "reachability_watcher_process");
    CHECK(g_main_context_is_owner(NULL) || !is_attached());
    CHECK(process);
    return process(watcher, error);
}

static void on_connectivity(GNetworkMonitor *monitor, GParamSpec *property, gpointer context) {
    GNetworkConnectivity connectivity = g_network_monitor_get_connectivity(monitor);
    (void)property, (void)context;
    printf("%d\n", connectivity);
    if (connectivity == G_NETWORK_CONNECTIVITY_LOCAL) g_main_loop_quit(loop);
}

static gpointer make_monitor(gpointer context) {
    GNetworkMonitor *monitor = g_network_monitor_get_default();
    (void)context;
    CHECK(strcmp(G_OBJECT_TYPE_NAME(monitor), "ReachabilityMonitor") == 0);
    g_signal_connect(monitor, "notify::connectivity", G_CALLBACK(on_connectivity), NULL);
    printf("%d %d\n", g_network_monitor_get_connectivity(monitor), g_network_monitor_get_network_metered(monitor));
    if (!is_route_short) run("ip route del default");
    return NULL;
}

static gboolean begin(gpointer context) {
    GThread *thread = g_thread_new("monitor", make_monitor, NULL);
    (void)context;
    /* The loop tells in its next turn what has changed while the monitor was made. It must not do so before on_connectivity is
     * connected, so it waits for the thread here. */
    if (is_route_short)
        g_thread_join(thread);
    else
        g_thread_unref(thread);
    return G_SOURCE_REMOVE;
}

int main(int count, char **arguments) {
    (void)arguments;
    is_route_short = count > 1;
    /* If anything waits for ever, this ends it. */
    alarm(120);
    /* So that this program needs the library, and the module takes the function above. */
    CHECK(reachability_version());
    loop = g_main_loop_new(NULL, FALSE);
    g_idle_add(begin, NULL);
    g_main_loop_run(loop);
    return 0;
}
