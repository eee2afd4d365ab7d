/* SPDX-License-Identifier: Apache-2.0
 *
 * Uses GLib's GNetworkMonitor as any program does, with the module of this package, and prints "ok". Changes the routes of
 * its network namespace, which has the interface eth0 with 10.0.0.1/24 and no name server. With a FOLDER, it has no
 * environment (clearenv(3)) when it has GLib load the modules there.
 */
#define _GNU_SOURCE 1
#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static GNetworkMonitor *monitor;
static int signals, notices;
static gboolean is_available;

static void on_change(GNetworkMonitor *changed, gboolean available, gpointer context) {
    (void)context;
    CHECK(changed == monitor);
    signals++;
    is_available = available;
}

static void on_notice(GObject *object, GParamSpec *property, gpointer context) {
    (void)object, (void)property, (void)context;
    notices++;
}

static void wait_for_signals(int count) {
    while (signals < count) g_main_context_iteration(NULL, TRUE);
}

static gboolean can_reach(GSocketConnectable *target, int code) {
    GError *error = NULL;
    gboolean result = g_network_monitor_can_reach(monitor, target, NULL, &error);
    CHECK(result == (error == NULL));
    if (error) CHECK(g_error_matches(error, G_IO_ERROR, code));
    g_clear_error(&error);
    return result;
}

static gboolean can_reach_text(const char *text, int code) {
    GSocketConnectable *target = g_network_address_new(text, 443);
    gboolean result = can_reach(target, code);
    GSocketAddress *address = g_inet_socket_address_new_from_string(text, 443);
    if (address) {
        CHECK(can_reach(G_SOCKET_CONNECTABLE(address), code) == result);
        g_object_unref(address);
    }
    g_object_unref(target);
    return result;
}

static void on_answer(GObject *object, GAsyncResult *result, gpointer answer) {
    *(int *)answer = g_network_monitor_can_reach_finish(G_NETWORK_MONITOR(object), result, NULL);
}

static gboolean can_reach_later(const char *text) {
    GSocketConnectable *target = g_network_address_new(text, 443);
    int answer = -1;
    g_network_monitor_can_reach_async(monitor, target, NULL, on_answer, &answer);
    while (answer < 0) g_main_context_iteration(NULL, TRUE);
    g_object_unref(target);
    return answer;
}

static void run(const char *command) { CHECK(system(command) == 0); }

int main(int count, char **arguments) {
    GCancellable *cancelled = g_cancellable_new();
    GSocketConnectable *service = g_network_service_new("http", "tcp", "nowhere.invalid");
    GError *error = NULL;
    int i;

    /* If anything waits for ever, this ends it. */
    alarm(120);
    if (count > 1) {
        CHECK(clearenv() == 0);
        g_io_extension_point_register(G_NETWORK_MONITOR_EXTENSION_POINT_NAME);
        g_io_modules_scan_all_in_directory(arguments[1]);
    }
    monitor = g_network_monitor_get_default();
    CHECK(strcmp(G_OBJECT_TYPE_NAME(monitor), "ReachabilityMonitor") == 0);
    g_signal_connect(monitor, "network-changed", G_CALLBACK(on_change), NULL);
    g_signal_connect(monitor, "notify::network-available", G_CALLBACK(on_notice), NULL);

    /* Questions. */
    CHECK(!g_network_monitor_get_network_available(monitor));
    CHECK(!g_network_monitor_get_network_metered(monitor));
    CHECK(g_network_monitor_get_connectivity(monitor) == G_NETWORK_CONNECTIVITY_LOCAL);
    CHECK(can_reach_text("10.0.0.7", 0) && can_reach_text("localhost", 0) && can_reach_later("10.0.0.8"));
    CHECK(!can_reach_text("192.0.2.1", G_IO_ERROR_HOST_UNREACHABLE) && !can_reach_later("192.0.2.1"));
    CHECK(!can_reach_text("no such name", G_IO_ERROR_INVALID_ARGUMENT));
    /* An international name is asked for in its xn-- form. */
    CHECK(!can_reach_text("b\u00fccher.test", G_IO_ERROR_HOST_UNREACHABLE));
    g_cancellable_cancel(cancelled);
    CHECK(!g_network_monitor_can_reach(monitor, service, cancelled, &error));
    CHECK(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
    CHECK(!g_network_monitor_can_reach(monitor, service, NULL, NULL));

    /* A default route changes the path, and the answer about a host. Both are told by one signal. */
    run("ip route add default via 10.0.0.254");
    wait_for_signals(1);
    CHECK(is_available && notices == 1);
    CHECK(g_network_monitor_get_connectivity(monitor) == G_NETWORK_CONNECTIVITY_FULL);
    CHECK(can_reach_text("192.0.2.1", 0));

    /* A route that concerns only a host that was asked for. */
    i = signals;
    run("ip route add unreachable 192.0.2.1");
    wait_for_signals(i + 1);
    CHECK(is_available && notices == 1 && !can_reach_text("192.0.2.1", G_IO_ERROR_HOST_UNREACHABLE));

    /* A question comes before the watcher has looked. The rest of the program hears of its answer, too. */
    i = signals;
    run("ip route del unreachable 192.0.2.1");
    CHECK(can_reach_text("192.0.2.1", 0) && signals == i);
    wait_for_signals(i + 1);
    /* The watcher sees nothing of a change that is over before. The program has been told of it. */
    i = signals;
    run("ip route add unreachable 192.0.2.1");
    CHECK(!can_reach_text("192.0.2.1", G_IO_ERROR_HOST_UNREACHABLE) && signals == i);
    run("ip route del unreachable 192.0.2.1");
    wait_for_signals(i + 1);
    CHECK(can_reach_text("192.0.2.1", 0));
    i = signals;
    run("ip route add unreachable 192.0.2.1");
    wait_for_signals(i + 1);

    /* More hosts than are watched. */
    for (i = 0; i < 200; i++) {
        char text[32];
        snprintf(text, sizeof text, "203.0.113.%d", i);
        CHECK(can_reach_text(text, 0));
    }
    i = signals;
    run("ip route del default");
    wait_for_signals(i + 1);
    CHECK(!is_available && notices == 2 && !can_reach_text("203.0.113.199", G_IO_ERROR_HOST_UNREACHABLE));

    g_object_unref(service);
    g_object_unref(cancelled);
    alarm(0);
    puts("ok");
    return 0;
}
