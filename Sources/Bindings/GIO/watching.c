/* SPDX-License-Identifier: Apache-2.0
 *
 * Watches the path, and the hosts that were asked for lately, in the context of the monitor.
 */
#include "monitor.h"

#include <glib-unix.h>
#include <string.h>
#include <unistd.h>

/* So many hosts are watched: those that were asked for last. */
#define WATCHED_LIMIT 64

/* So long a new monitor waits for what NetworkManager says. What comes later is told by a signal. */
#define HINT_MILLISECONDS 100

/* A host that the program has asked for. */
typedef struct {
    char *name;
    uint64_t identifier;
    /* The last answer that the program has had. */
    gboolean is_reachable;
    ReachabilityMonitor *monitor;
} Host;

gboolean is_reachable(unsigned int flags) {
    return (flags & REACHABILITY_REACHABLE) && !(flags & REACHABILITY_CONNECTION_REQUIRED);
}

reachability_path monitor_copy_path(ReachabilityMonitor *monitor) {
    reachability_path path;
    g_mutex_lock(&monitor->mutex);
    path = monitor->path;
    g_mutex_unlock(&monitor->mutex);
    return path;
}

static void tell_change(ReachabilityMonitor *monitor) {
    monitor->has_changed = FALSE;
    g_signal_emit_by_name(monitor, "network-changed", monitor_copy_path(monitor).status == REACHABILITY_PATH_SATISFIED);
}

static void path_changed(const reachability_path *path, void *context) {
    ReachabilityMonitor *monitor = context;
    reachability_path before;
    gboolean has_turned;

    g_mutex_lock(&monitor->mutex);
    before = monitor->path;
    monitor->path = *path;
    g_mutex_unlock(&monitor->mutex);
    has_turned = (before.status == REACHABILITY_PATH_SATISFIED) != (path->status == REACHABILITY_PATH_SATISFIED);
    g_object_freeze_notify(G_OBJECT(monitor));
    if (has_turned) g_object_notify(G_OBJECT(monitor), "network-available");
    if (before.is_expensive != path->is_expensive) g_object_notify(G_OBJECT(monitor), "network-metered");
    if (has_turned || before.connectivity != path->connectivity) g_object_notify(G_OBJECT(monitor), "connectivity");
    g_object_thaw_notify(G_OBJECT(monitor));
    /* The hosts have been told before. The rest of the turn can wait. */
    if (monitor->source) tell_change(monitor);
}

static void host_changed(unsigned int flags, void *context) {
    Host *host = context;
    if (host->is_reachable != is_reachable(flags)) host->monitor->has_changed = TRUE;
    host->is_reachable = is_reachable(flags);
}

/* ---- The watcher and its source ---- */

static gboolean turn(gint descriptor, GIOCondition condition, gpointer reference);

static void free_reference(gpointer reference) {
    g_weak_ref_clear(reference);
    g_free(reference);
}

static void attach(ReachabilityMonitor *monitor) {
    GWeakRef *reference = g_new0(GWeakRef, 1);

    g_weak_ref_init(reference, monitor);
    monitor->source = g_unix_fd_source_new(reachability_watcher_descriptor(monitor->watcher), G_IO_IN);
    g_source_set_name(monitor->source, "reachability");
    g_source_set_callback(monitor->source, G_SOURCE_FUNC(turn), reference, free_reference);
    g_source_attach(monitor->source, monitor->context);
}

static void detach(ReachabilityMonitor *monitor) {
    g_source_destroy(monitor->source);
    g_source_unref(monitor->source);
}

static int watch_path(ReachabilityMonitor *monitor, reachability_watcher *watcher, reachability_error *failure) {
    return reachability_watcher_add_path(watcher, NULL, path_changed, monitor, NULL, &monitor->watched_path, failure);
}

static int make_watcher(ReachabilityMonitor *monitor, reachability_watcher **watcher, reachability_error *failure) {
    int result = reachability_watcher_create(watcher, failure);

    monitor->process = getpid();
    return result == REACHABILITY_OK ? watch_path(monitor, *watcher, failure) : result;
}

static gboolean is_inherited(const ReachabilityMonitor *monitor) { return monitor->process != getpid(); }

/* Makes a watcher of this process. A daemon is a child of the process that has made the other (daemon(3)). */
static int begin_anew(ReachabilityMonitor *monitor, reachability_error *failure) {
    reachability_watcher *watcher;
    int result = make_watcher(monitor, &watcher, failure);
    GList *link;

    if (result != REACHABILITY_OK) {
        reachability_watcher_free(watcher);
        return result;
    }
    detach(monitor);
    reachability_watcher_free(monitor->watcher);
    monitor->watcher = watcher;
    for (link = monitor->hosts.head; link; link = link->next) {
        Host *host = link->data;
        reachability_target *target;
        /* Of nothing, should this fail. */
        host->identifier = G_MAXUINT64;
        if (reachability_target_create(host->name, NULL, &target, NULL) != REACHABILITY_OK) continue;
        reachability_watcher_add(watcher, target, host_changed, host, NULL, &host->identifier, NULL);
        reachability_target_free(target);
    }
    attach(monitor);
    return REACHABILITY_OK;
}

static gboolean turn(gint descriptor, GIOCondition condition, gpointer reference) {
    ReachabilityMonitor *monitor = g_weak_ref_get(reference);
    reachability_error failure;
    gboolean is_current;
    int result = REACHABILITY_OK;
    (void)descriptor;
    (void)condition;
    if (!monitor) return G_SOURCE_REMOVE;
    is_current = !is_inherited(monitor);
    if (!is_current) result = begin_anew(monitor, &failure);
    if (result == REACHABILITY_OK) result = reachability_watcher_process(monitor->watcher, &failure);
    if (result != REACHABILITY_OK) g_warning("no change of the network is told any more: %s", failure.message);
    if (monitor->has_changed) tell_change(monitor);
    g_object_unref(monitor);
    return result == REACHABILITY_OK && is_current ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* ---- The hosts ---- */

static void free_host(Host *host) {
    reachability_watcher_remove(host->monitor->watcher, host->identifier);
    g_free(host->name);
    g_free(host);
}

/* A host that a thread has asked for. */
typedef struct {
    ReachabilityMonitor *monitor;
    reachability_target *target;
    char *name;
    gboolean is_reachable;
} Asked;

static gboolean watch_host(gpointer data) {
    Asked *asked = data;
    ReachabilityMonitor *monitor = asked->monitor;
    GList *link;
    Host *host;

    if (is_inherited(monitor) && begin_anew(monitor, NULL) != REACHABILITY_OK) return G_SOURCE_REMOVE;
    for (link = monitor->hosts.head; link; link = link->next) {
        host = link->data;
        if (strcmp(host->name, asked->name) != 0) continue;
        g_queue_unlink(&monitor->hosts, link);
        g_queue_push_head_link(&monitor->hosts, link);
        if (host->is_reachable == asked->is_reachable) return G_SOURCE_REMOVE;
        /* The rest of the program hears of this answer in the next turn. The watcher may have looked before the change that it
         * is about, or not before the end of it. It tells who joins the present answer. */
        host->is_reachable = asked->is_reachable;
        monitor->has_changed = TRUE;
        reachability_watcher_remove(monitor->watcher, host->identifier);
        host->identifier = G_MAXUINT64;
        reachability_watcher_add(monitor->watcher, asked->target, host_changed, host, NULL, &host->identifier, NULL);
        return G_SOURCE_REMOVE;
    }
    host = g_new0(Host, 1);
    host->monitor = monitor;
    host->is_reachable = asked->is_reachable;
    if (reachability_watcher_add(
            monitor->watcher, asked->target, host_changed, host, NULL, &host->identifier, NULL) != REACHABILITY_OK) {
        g_free(host);
        return G_SOURCE_REMOVE;
    }
    host->name = g_strdup(asked->name);
    g_queue_push_head(&monitor->hosts, host);
    if (monitor->hosts.length > WATCHED_LIMIT) free_host(g_queue_pop_tail(&monitor->hosts));
    return G_SOURCE_REMOVE;
}

static void free_asked(gpointer data) {
    Asked *asked = data;
    reachability_target_free(asked->target);
    g_object_unref(asked->monitor);
    g_free(asked->name);
    g_free(asked);
}

void monitor_watch(ReachabilityMonitor *monitor, reachability_target *target, const char *name, gboolean answer) {
    Asked *asked = g_new0(Asked, 1);

    asked->monitor = g_object_ref(monitor);
    asked->target = target;
    asked->name = g_strdup(name);
    asked->is_reachable = answer;
    g_main_context_invoke_full(monitor->context, G_PRIORITY_DEFAULT, watch_host, asked, free_asked);
}

/* Begins with the present path, with what NetworkManager says of it. Returns a code. */
static int begin(ReachabilityMonitor *monitor, reachability_error *failure) {
    reachability_options options = REACHABILITY_OPTIONS_INIT;
    int result, told;

    options.timeout_milliseconds = HINT_MILLISECONDS;
    result = make_watcher(monitor, &monitor->watcher, failure);
    /* The first turn tells what the kernel knows. Once the source is attached, the context may turn in another thread. */
    if (result == REACHABILITY_OK) result = reachability_watcher_process(monitor->watcher, failure);
    if (result != REACHABILITY_OK) return result;
    told = monitor->path.status;
    monitor->path.size = sizeof monitor->path;
    result = reachability_path_get(&options, &monitor->path, failure);
    if (result != REACHABILITY_OK || monitor->path.status == told) return result;
    /* If this changes back before the next turn, the watcher finds nothing to tell. It tells who joins the present path. */
    reachability_watcher_remove(monitor->watcher, monitor->watched_path);
    return watch_path(monitor, monitor->watcher, failure);
}

gboolean monitor_start(ReachabilityMonitor *monitor, GError **error) {
    reachability_error failure;

    if (begin(monitor, &failure) != REACHABILITY_OK) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, failure.message);
        return FALSE;
    }
    attach(monitor);
    return TRUE;
}

void monitor_stop(ReachabilityMonitor *monitor) {
    if (monitor->source) detach(monitor);
    while (monitor->hosts.length > 0) free_host(g_queue_pop_head(&monitor->hosts));
    reachability_watcher_free(monitor->watcher);
}
