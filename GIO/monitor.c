/* SPDX-License-Identifier: Apache-2.0
 *
 * GLib's GNetworkMonitor, with the answers of libreachability. GLib loads it from a folder of modules:
 *
 *     GIO_EXTRA_MODULES=/usr/local/lib/gio/modules program
 *
 * g_network_monitor_can_reach asks the kernel for the route, as reachability_target_get_flags does. The signal
 * network-changed is emitted if the path of the machine has changed, or the answer about a host that was asked for lately.
 * GLib's own monitors emit it for each change of the routing table that they understand.
 */
#include <gio/gio.h>
#include <glib-unix.h>
#include <reachability.h>
#include <string.h>

/* GLib's monitors have 20 (netlink), 30 (NetworkManager) and 40 (portal). */
#define PRIORITY 50
/* So many hosts are watched: those that were asked for last. */
#define WATCHED_LIMIT 64

/* A host that the program has asked for. */
typedef struct {
    char *name;
    unsigned long identifier;
    /* The last answer that the program has had. */
    gboolean is_reachable;
    struct _ReachabilityMonitor *monitor;
} Host;

typedef struct _ReachabilityMonitor {
    GObject parent;
    /* The context in which the monitor was made. All but can_reach happens there. */
    GMainContext *context;
    GSource *source;
    reachability_watcher *watcher;
    /* The hosts, the last one asked for first. */
    GQueue hosts;
    /* Guards `path`, which any thread may read. */
    GMutex mutex;
    reachability_path path;
    /* Set during a turn in which an answer has changed. */
    gboolean has_changed;
} ReachabilityMonitor;

typedef struct {
    GObjectClass parent;
} ReachabilityMonitorClass;

enum { PROPERTY_AVAILABLE = 1, PROPERTY_METERED, PROPERTY_CONNECTIVITY };

GType reachability_monitor_get_type(void);
static void initable_init(GInitableIface *interface);
static void monitor_init(GNetworkMonitorInterface *interface);

G_DEFINE_DYNAMIC_TYPE_EXTENDED(
    ReachabilityMonitor, reachability_monitor, G_TYPE_OBJECT, 0,
    G_IMPLEMENT_INTERFACE_DYNAMIC(G_TYPE_INITABLE, initable_init)
    G_IMPLEMENT_INTERFACE_DYNAMIC(G_TYPE_NETWORK_MONITOR, monitor_init))

#define MONITOR(object) ((ReachabilityMonitor *)(object))

static gboolean is_reachable(unsigned int flags) {
    return (flags & REACHABILITY_REACHABLE) && !(flags & REACHABILITY_CONNECTION_REQUIRED);
}

static reachability_path copy_path(ReachabilityMonitor *monitor) {
    reachability_path path;
    g_mutex_lock(&monitor->mutex);
    path = monitor->path;
    g_mutex_unlock(&monitor->mutex);
    return path;
}

/* ---- Watching, in the context ---- */

static void path_changed(const reachability_path *path, void *context) {
    ReachabilityMonitor *monitor = context;
    gboolean was_available, was_metered;
    int connectivity;

    g_mutex_lock(&monitor->mutex);
    was_available = monitor->path.status == REACHABILITY_PATH_SATISFIED;
    was_metered = monitor->path.is_expensive;
    connectivity = monitor->path.connectivity;
    monitor->path = *path;
    g_mutex_unlock(&monitor->mutex);
    g_object_freeze_notify(G_OBJECT(monitor));
    if (was_available != (path->status == REACHABILITY_PATH_SATISFIED))
        g_object_notify(G_OBJECT(monitor), "network-available");
    if (was_metered != path->is_expensive) g_object_notify(G_OBJECT(monitor), "network-metered");
    if (was_available != (path->status == REACHABILITY_PATH_SATISFIED) || connectivity != path->connectivity)
        g_object_notify(G_OBJECT(monitor), "connectivity");
    g_object_thaw_notify(G_OBJECT(monitor));
    monitor->has_changed = TRUE;
}

static void host_changed(unsigned int flags, void *context) {
    Host *host = context;
    if (host->is_reachable != is_reachable(flags)) host->monitor->has_changed = TRUE;
    host->is_reachable = is_reachable(flags);
}

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

    for (link = monitor->hosts.head; link; link = link->next) {
        host = link->data;
        if (strcmp(host->name, asked->name) != 0) continue;
        g_queue_unlink(&monitor->hosts, link);
        g_queue_push_head_link(&monitor->hosts, link);
        host->is_reachable = asked->is_reachable;
        return G_SOURCE_REMOVE;
    }
    host = g_new0(Host, 1);
    host->monitor = monitor;
    host->is_reachable = asked->is_reachable;
    if (reachability_watcher_add(
            monitor->watcher, asked->target, host_changed, host, &host->identifier, NULL) != REACHABILITY_OK) {
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

static gboolean turn(gint descriptor, GIOCondition condition, gpointer reference) {
    ReachabilityMonitor *monitor = g_weak_ref_get(reference);
    (void)descriptor;
    (void)condition;
    if (!monitor) return G_SOURCE_REMOVE;
    reachability_watcher_process(monitor->watcher);
    if (monitor->has_changed) {
        monitor->has_changed = FALSE;
        g_signal_emit_by_name(monitor, "network-changed", copy_path(monitor).status == REACHABILITY_PATH_SATISFIED);
    }
    g_object_unref(monitor);
    return G_SOURCE_CONTINUE;
}

static void free_reference(gpointer reference) {
    g_weak_ref_clear(reference);
    g_free(reference);
}

static gboolean initialise(GInitable *initable, GCancellable *cancellable, GError **error) {
    ReachabilityMonitor *monitor = MONITOR(initable);
    reachability_error failure;
    GWeakRef *reference;

    if (g_cancellable_set_error_if_cancelled(cancellable, error)) return FALSE;
    monitor->path.size = sizeof monitor->path;
    if (reachability_path_get(NULL, &monitor->path, &failure) != REACHABILITY_OK
        || reachability_watcher_create(&monitor->watcher, &failure) != REACHABILITY_OK
        || reachability_watcher_add_path(monitor->watcher, NULL, path_changed, monitor, NULL, &failure)
            != REACHABILITY_OK) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, failure.message);
        return FALSE;
    }
    reference = g_new0(GWeakRef, 1);
    g_weak_ref_init(reference, monitor);
    monitor->source = g_unix_fd_source_new(reachability_watcher_descriptor(monitor->watcher), G_IO_IN);
    g_source_set_name(monitor->source, "reachability");
    g_source_set_callback(monitor->source, G_SOURCE_FUNC(turn), reference, free_reference);
    g_source_attach(monitor->source, monitor->context);
    /* The first turn tells what is known already. */
    reachability_watcher_process(monitor->watcher);
    monitor->has_changed = FALSE;
    return TRUE;
}

/* ---- Questions, in any thread ---- */

/* Answers about a host or an address, and has it watched. Takes the target. */
static gboolean answer(ReachabilityMonitor *monitor, reachability_target *target, const char *name, GError **error) {
    reachability_error failure;
    unsigned int flags;
    Asked *asked;

    if (reachability_target_get_flags(target, &flags, &failure) != REACHABILITY_OK) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, failure.message);
        reachability_target_free(target);
        return FALSE;
    }
    asked = g_new0(Asked, 1);
    asked->monitor = g_object_ref(monitor);
    asked->target = target;
    asked->name = g_strdup(name);
    asked->is_reachable = is_reachable(flags);
    g_main_context_invoke_full(monitor->context, G_PRIORITY_DEFAULT, watch_host, asked, free_asked);
    if (!is_reachable(flags)) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE, "%s cannot be reached", name);
        return FALSE;
    }
    return TRUE;
}

static gboolean can_reach_name(ReachabilityMonitor *monitor, const char *name, GError **error) {
    reachability_error failure;
    reachability_target *target;

    if (reachability_target_create(name, NULL, &target, &failure) != REACHABILITY_OK) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, failure.message);
        return FALSE;
    }
    return answer(monitor, target, name, error);
}

static gboolean can_reach_address(ReachabilityMonitor *monitor, GSocketAddress *address, GError **error) {
    GInetSocketAddress *internet;
    reachability_target *target;
    reachability_error failure;
    gboolean result;
    char *name;
    union {
        struct sockaddr address;
        struct sockaddr_storage storage;
    } native;

    if (!G_IS_INET_SOCKET_ADDRESS(address)) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE, "not an internet address");
        return FALSE;
    }
    internet = G_INET_SOCKET_ADDRESS(address);
    if (!g_socket_address_to_native(address, &native, sizeof native, error)) return FALSE;
    if (reachability_target_create_with_address(
            &native.address, (socklen_t)g_socket_address_get_native_size(address), NULL, &target, &failure)
        != REACHABILITY_OK) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, failure.message);
        return FALSE;
    }
    name = g_inet_address_to_string(g_inet_socket_address_get_address(internet));
    if (native.address.sa_family == AF_INET6 && g_inet_socket_address_get_scope_id(internet)) {
        char *scoped = g_strdup_printf("%s%%%u", name, g_inet_socket_address_get_scope_id(internet));
        g_free(name);
        name = scoped;
    }
    result = answer(monitor, target, name, error);
    g_free(name);
    return result;
}

/* Tries each address that a connectable of another kind leads to, such as a service. */
static gboolean can_reach_any(
    ReachabilityMonitor *monitor, GSocketConnectable *connectable, GCancellable *cancellable, GError **error) {
    GSocketAddressEnumerator *enumerator = g_socket_connectable_enumerate(connectable);
    GSocketAddress *address;
    GError *first = NULL;
    gboolean result = FALSE;

    while (!result && (address = g_socket_address_enumerator_next(enumerator, cancellable, first ? NULL : &first))) {
        result = can_reach_address(monitor, address, first ? NULL : &first);
        g_object_unref(address);
    }
    g_object_unref(enumerator);
    if (result) g_clear_error(&first);
    else if (first) g_propagate_error(error, first);
    else g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE, "there is no address");
    return result;
}

static gboolean can_reach(
    GNetworkMonitor *object, GSocketConnectable *connectable, GCancellable *cancellable, GError **error) {
    ReachabilityMonitor *monitor = MONITOR(object);

    if (g_cancellable_set_error_if_cancelled(cancellable, error)) return FALSE;
    if (G_IS_SOCKET_ADDRESS(connectable)) return can_reach_address(monitor, G_SOCKET_ADDRESS(connectable), error);
    if (G_IS_NETWORK_ADDRESS(connectable))
        return can_reach_name(monitor, g_network_address_get_hostname(G_NETWORK_ADDRESS(connectable)), error);
    return can_reach_any(monitor, connectable, cancellable, error);
}

static void can_reach_in_thread(GTask *task, gpointer object, gpointer connectable, GCancellable *cancellable) {
    GError *error = NULL;
    if (can_reach(object, connectable, cancellable, &error)) g_task_return_boolean(task, TRUE);
    else g_task_return_error(task, error);
}

static void can_reach_async(
    GNetworkMonitor *monitor, GSocketConnectable *connectable, GCancellable *cancellable,
    GAsyncReadyCallback callback, gpointer data) {
    GTask *task = g_task_new(monitor, cancellable, callback, data);

    g_task_set_task_data(task, g_object_ref(connectable), g_object_unref);
    /* A name may take seconds. An address is answered at once. */
    if (G_IS_SOCKET_ADDRESS(connectable)) can_reach_in_thread(task, monitor, connectable, cancellable);
    else g_task_run_in_thread(task, can_reach_in_thread);
    g_object_unref(task);
}

static gboolean can_reach_finish(GNetworkMonitor *monitor, GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_task_is_valid(result, monitor), FALSE);
    return g_task_propagate_boolean(G_TASK(result), error);
}

/* ---- The object ---- */

static GNetworkConnectivity connectivity(const reachability_path *path) {
    if (path->status != REACHABILITY_PATH_SATISFIED) return G_NETWORK_CONNECTIVITY_LOCAL;
    switch (path->connectivity) {
    case REACHABILITY_CONNECTIVITY_PORTAL: return G_NETWORK_CONNECTIVITY_PORTAL;
    case REACHABILITY_CONNECTIVITY_LIMITED: return G_NETWORK_CONNECTIVITY_LIMITED;
    default: return G_NETWORK_CONNECTIVITY_FULL;
    }
}

static void get_property(GObject *object, guint property, GValue *value, GParamSpec *specification) {
    reachability_path path = copy_path(MONITOR(object));

    switch (property) {
    case PROPERTY_AVAILABLE: g_value_set_boolean(value, path.status == REACHABILITY_PATH_SATISFIED); break;
    case PROPERTY_METERED: g_value_set_boolean(value, path.is_expensive); break;
    case PROPERTY_CONNECTIVITY: g_value_set_enum(value, connectivity(&path)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, property, specification);
    }
}

static void finalize(GObject *object) {
    ReachabilityMonitor *monitor = MONITOR(object);

    if (monitor->source) {
        g_source_destroy(monitor->source);
        g_source_unref(monitor->source);
    }
    while (monitor->hosts.length > 0) free_host(g_queue_pop_head(&monitor->hosts));
    reachability_watcher_free(monitor->watcher);
    g_main_context_unref(monitor->context);
    g_mutex_clear(&monitor->mutex);
    G_OBJECT_CLASS(reachability_monitor_parent_class)->finalize(object);
}

static void reachability_monitor_init(ReachabilityMonitor *monitor) {
    monitor->context = g_main_context_ref_thread_default();
    g_mutex_init(&monitor->mutex);
    g_queue_init(&monitor->hosts);
}

static void reachability_monitor_class_init(ReachabilityMonitorClass *class) {
    GObjectClass *object = G_OBJECT_CLASS(class);
    object->finalize = finalize;
    object->get_property = get_property;
    g_object_class_override_property(object, PROPERTY_AVAILABLE, "network-available");
    g_object_class_override_property(object, PROPERTY_METERED, "network-metered");
    g_object_class_override_property(object, PROPERTY_CONNECTIVITY, "connectivity");
}

static void reachability_monitor_class_finalize(ReachabilityMonitorClass *class) { (void)class; }

static void initable_init(GInitableIface *interface) { interface->init = initialise; }

static void monitor_init(GNetworkMonitorInterface *interface) {
    interface->can_reach = can_reach;
    interface->can_reach_async = can_reach_async;
    interface->can_reach_finish = can_reach_finish;
}

/* ---- The module ---- */

G_MODULE_EXPORT void g_io_module_load(GIOModule *module) {
    /* Its types are never taken back. */
    g_type_module_use(G_TYPE_MODULE(module));
    reachability_monitor_register_type(G_TYPE_MODULE(module));
    g_io_extension_point_implement(
        G_NETWORK_MONITOR_EXTENSION_POINT_NAME, reachability_monitor_get_type(), "reachability", PRIORITY);
}

G_MODULE_EXPORT void g_io_module_unload(GIOModule *module) { (void)module; }

G_MODULE_EXPORT char **g_io_module_query(void) {
    char *points[] = { (char *)G_NETWORK_MONITOR_EXTENSION_POINT_NAME, NULL };
    return g_strdupv(points);
}
