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
#include "monitor.h"

/* GLib's monitors have 20 (netlink), 30 (NetworkManager) and 40 (portal). */
#define PRIORITY 50

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

static GNetworkConnectivity connectivity(const reachability_path *path) {
    if (path->status != REACHABILITY_PATH_SATISFIED) return G_NETWORK_CONNECTIVITY_LOCAL;
    switch (path->connectivity) {
    case REACHABILITY_CONNECTIVITY_PORTAL: return G_NETWORK_CONNECTIVITY_PORTAL;
    case REACHABILITY_CONNECTIVITY_LIMITED: return G_NETWORK_CONNECTIVITY_LIMITED;
    default: return G_NETWORK_CONNECTIVITY_FULL;
    }
}

static void get_property(GObject *object, guint property, GValue *value, GParamSpec *specification) {
    reachability_path path = monitor_copy_path(MONITOR(object));

    switch (property) {
    case PROPERTY_AVAILABLE: g_value_set_boolean(value, path.status == REACHABILITY_PATH_SATISFIED); break;
    case PROPERTY_METERED: g_value_set_boolean(value, path.is_expensive); break;
    case PROPERTY_CONNECTIVITY: g_value_set_enum(value, connectivity(&path)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, property, specification);
    }
}

static void finalize(GObject *object) {
    ReachabilityMonitor *monitor = MONITOR(object);

    monitor_stop(monitor);
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

static gboolean initialise(GInitable *initable, GCancellable *cancellable, GError **error) {
    if (g_cancellable_set_error_if_cancelled(cancellable, error)) return FALSE;
    return monitor_start(MONITOR(initable), error);
}

static void initable_init(GInitableIface *interface) { interface->init = initialise; }

static void monitor_init(GNetworkMonitorInterface *interface) { monitor_set_questions(interface); }

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
