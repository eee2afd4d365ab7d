/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers g_network_monitor_can_reach, in any thread.
 */
#include "monitor.h"

/* Answers about a host or an address, and has it watched. Takes the target. */
static gboolean answer(ReachabilityMonitor *monitor, reachability_target *target, const char *name, GError **error) {
    reachability_error failure;
    unsigned int flags;

    if (reachability_target_get_flags(target, &flags, &failure) != REACHABILITY_OK) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, failure.message);
        reachability_target_free(target);
        return FALSE;
    }
    monitor_watch(monitor, target, name, is_reachable(flags));
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

void monitor_set_questions(GNetworkMonitorInterface *interface) {
    interface->can_reach = can_reach;
    interface->can_reach_async = can_reach_async;
    interface->can_reach_finish = can_reach_finish;
}
