/* SPDX-License-Identifier: Apache-2.0
 *
 * The object of this module, and what its files need of each other: monitor.c makes it and its properties, watching.c keeps
 * the path and the watched hosts current, and questions.c answers g_network_monitor_can_reach.
 */
#ifndef MONITOR_H
#define MONITOR_H

/* The oldest GLib that the module is for. Newer headers then use no function that it lacks. */
#define GLIB_VERSION_MIN_REQUIRED GLIB_VERSION_2_74
#define GLIB_VERSION_MAX_ALLOWED GLIB_VERSION_2_74

#include <gio/gio.h>
#include <reachability.h>
#include <sys/types.h>

typedef struct {
    GObject parent;
    /* The context in which the monitor was made. All but can_reach happens there. */
    GMainContext *context;
    GSource *source;
    reachability_watcher *watcher;
    /* The number under which the watcher has the path. */
    uint64_t watched_path;
    /* The process whose watcher that is. */
    pid_t process;
    /* The hosts that are watched, the last one asked for first. */
    GQueue hosts;
    /* Guards `path`, which any thread may read. */
    GMutex mutex;
    reachability_path path;
    /* Set during a turn in which an answer has changed. */
    gboolean has_changed;
} ReachabilityMonitor;

#define MONITOR(object) ((ReachabilityMonitor *)(object))

/* Begins to watch the path. Sets `error` if it cannot. */
gboolean monitor_start(ReachabilityMonitor *monitor, GError **error);
/* Ends all watching. A monitor that has not started may be stopped too. */
void monitor_stop(ReachabilityMonitor *monitor);
/* The present path. Any thread may ask. */
reachability_path monitor_copy_path(ReachabilityMonitor *monitor);
/* Has a host watched about which the program was told `answer`, and takes its target. Any thread may call this. */
void monitor_watch(ReachabilityMonitor *monitor, reachability_target *target, const char *name, gboolean answer);

gboolean is_reachable(unsigned int flags);

/* Sets the functions that answer g_network_monitor_can_reach and its asynchronous form. */
void monitor_set_questions(GNetworkMonitorInterface *interface);

#endif
