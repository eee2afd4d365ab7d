/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes GLib's monitor, asks for a host, and goes on in the child of a fork, as daemon(3) does. Prints "ok". Changes the routes of
 * its network namespace, which has the interface eth0 with 10.0.0.1/24.
 */
#include <gio/gio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static GNetworkMonitor *monitor;
static int signals;

static void on_change(GNetworkMonitor *changed, gboolean available, gpointer context) {
    (void)changed, (void)available, (void)context;
    signals++;
}

static void on_answer(GObject *object, GAsyncResult *result, gpointer answer) {
    *(int *)answer = g_network_monitor_can_reach_finish(G_NETWORK_MONITOR(object), result, NULL);
}

/* Asks in both ways, as one who may cancel. */
static gboolean can_reach(const char *host) {
    GSocketConnectable *target = g_network_address_new(host, 443);
    GCancellable *cancellable = g_cancellable_new();
    gboolean result = g_network_monitor_can_reach(monitor, target, cancellable, NULL);
    int answer = -1;
    g_network_monitor_can_reach_async(monitor, target, cancellable, on_answer, &answer);
    while (answer < 0) g_main_context_iteration(NULL, TRUE);
    CHECK(answer == result);
    g_object_unref(target);
    g_object_unref(cancellable);
    return result;
}

static void change(const char *command) {
    signals = 0;
    CHECK(system(command) == 0);
    while (signals == 0) g_main_context_iteration(NULL, TRUE);
}

int main(void) {
    int status;
    pid_t child;

    monitor = g_network_monitor_get_default();
    CHECK(strcmp(G_OBJECT_TYPE_NAME(monitor), "ReachabilityMonitor") == 0);
    g_signal_connect(monitor, "network-changed", G_CALLBACK(on_change), NULL);
    CHECK(!can_reach("192.0.2.1") && can_reach("localhost"));
    child = fork();
    if (child == 0) {
        /* If anything waits for ever, this ends it. */
        alarm(120);
        CHECK(can_reach("localhost"));
        change("ip route add default via 10.0.0.254");
        CHECK(g_network_monitor_get_network_available(monitor) && can_reach("192.0.2.1"));
        /* The host that was asked for before the fork is watched. */
        change("ip route add unreachable 192.0.2.1");
        CHECK(g_network_monitor_get_network_available(monitor) && !can_reach("192.0.2.1"));
        change("ip route del default");
        CHECK(!g_network_monitor_get_network_available(monitor));
        g_object_unref(monitor);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    puts("ok");
    return 0;
}
