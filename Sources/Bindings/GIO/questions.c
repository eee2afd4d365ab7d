/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers g_network_monitor_can_reach, in any thread.
 */
#include "monitor.h"

/* Answers about a host or an address, and has it watched. Takes the target. */
static gboolean answer(
    ReachabilityMonitor *monitor, reachability_target *target, const char *name, GCancellable *cancellable,
    GError **error) {
    reachability_error failure;
    unsigned int flags;

    if (reachability_target_get_flags(target, &flags, NULL, &failure) != REACHABILITY_OK) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, failure.message);
        reachability_target_free(target);
        return FALSE;
    }
    /* A program that has cancelled gets no answer. So this one is not noted as told, and the next change is compared with the last
     * answer that the program got. */
    if (g_cancellable_set_error_if_cancelled(cancellable, error)) {
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

static gboolean can_reach_address(
    ReachabilityMonitor *monitor, GSocketAddress *address, GCancellable *cancellable, GError **error) {
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
    result = answer(monitor, target, name, cancellable, error);
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
        result = can_reach_address(monitor, address, cancellable, first ? NULL : &first);
        g_object_unref(address);
    }
    g_object_unref(enumerator);
    if (result || g_cancellable_set_error_if_cancelled(cancellable, error)) g_clear_error(&first);
    else if (first) g_propagate_error(error, first);
    else g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE, "there is no address");
    return result;
}

/* What is asked. A name's target is of the network namespace of the thread that asks, not of one that waits for it. */
typedef struct {
    GSocketConnectable *connectable;
    reachability_target *target;
    /* What ends with the answer or the cancellation, whichever comes first. */
    GTask *task;
    gint has_ended;
    gulong handler;
} Question;

static void free_question(gpointer data) {
    Question *question = data;
    g_object_unref(question->connectable);
    reachability_target_free(question->target);
    g_clear_object(&question->task);
}

static void release_question(gpointer question) { g_atomic_rc_box_release_full(question, free_question); }

/* Nothing, with an error, if there can be no such target or the question is cancelled already. */
static Question *make_question(GSocketConnectable *connectable, GCancellable *cancellable, GError **error) {
    reachability_error failure;
    Question *question;
    const char *name;
    char *ascii = NULL;
    int result = REACHABILITY_OK;

    if (g_cancellable_set_error_if_cancelled(cancellable, error)) return NULL;
    question = g_atomic_rc_box_new0(Question);
    question->connectable = g_object_ref(connectable);
    if (G_IS_NETWORK_ADDRESS(connectable)) {
        name = g_network_address_get_hostname(G_NETWORK_ADDRESS(connectable));
        /* As GLib's own resolver does. */
        if (g_hostname_is_non_ascii(name)) ascii = g_hostname_to_ascii(name);
        result = reachability_target_create(ascii ? ascii : name, NULL, &question->target, &failure);
        g_free(ascii);
    }
    if (result == REACHABILITY_OK) return question;
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, failure.message);
    release_question(question);
    return NULL;
}

static gboolean answer_question(
    ReachabilityMonitor *monitor, Question *question, GCancellable *cancellable, GError **error) {
    GSocketConnectable *connectable = question->connectable;

    if (G_IS_SOCKET_ADDRESS(connectable))
        return can_reach_address(monitor, G_SOCKET_ADDRESS(connectable), cancellable, error);
    if (!G_IS_NETWORK_ADDRESS(connectable)) return can_reach_any(monitor, connectable, cancellable, error);
    return answer(
        monitor, g_steal_pointer(&question->target), g_network_address_get_hostname(G_NETWORK_ADDRESS(connectable)),
        cancellable, error);
}

/* Whether its task has not ended before. */
static gboolean end(Question *question) {
    return g_atomic_int_compare_and_exchange(&question->has_ended, FALSE, TRUE);
}

static void cancelled(GCancellable *cancellable, gpointer question) {
    (void)cancellable;
    if (end(question)) g_task_return_error_if_cancelled(((Question *)question)->task);
}

static gpointer answer_task(gpointer data) {
    Question *question = data;
    GCancellable *cancellable = g_task_get_cancellable(question->task);
    GError *error = NULL;
    gboolean result = answer_question(g_task_get_source_object(question->task), question, cancellable, &error);

    if (!end(question)) g_clear_error(&error);
    else if (result) g_task_return_boolean(question->task, TRUE);
    else g_task_return_error(question->task, error);
    g_cancellable_disconnect(cancellable, question->handler);
    release_question(question);
    return NULL;
}

static void can_reach_async(
    GNetworkMonitor *monitor, GSocketConnectable *connectable, GCancellable *cancellable,
    GAsyncReadyCallback callback, gpointer data) {
    GError *error = NULL;
    Question *question = make_question(connectable, cancellable, &error);
    GThread *thread = NULL;

    if (!question) {
        g_task_report_error(monitor, callback, data, can_reach_async, error);
        return;
    }
    question->task = g_task_new(monitor, cancellable, callback, data);
    /* An address is answered at once. A name may take seconds: a thread asks, which goes on after a cancellation until its limit,
     * as that of GLib's own resolver. It is none of GTask's, which the child of a fork takes for running. */
    if (!G_IS_SOCKET_ADDRESS(connectable)) {
        if (cancellable)
            question->handler = g_cancellable_connect(
                cancellable, G_CALLBACK(cancelled), g_atomic_rc_box_acquire(question), release_question);
        thread = g_thread_try_new("reachability", answer_task, question, NULL);
    }
    if (thread) g_thread_unref(thread);
    else answer_task(question);
}

static void keep_result(GObject *monitor, GAsyncResult *result, gpointer kept) {
    (void)monitor;
    *(GAsyncResult **)kept = g_object_ref(result);
}

static gboolean can_reach_finish(GNetworkMonitor *monitor, GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_task_is_valid(result, monitor), FALSE);
    return g_task_propagate_boolean(G_TASK(result), error);
}

static gboolean can_reach(
    GNetworkMonitor *monitor, GSocketConnectable *connectable, GCancellable *cancellable, GError **error) {
    GAsyncResult *kept = NULL;
    gboolean result;

    if (G_IS_NETWORK_ADDRESS(connectable) && cancellable) {
        GMainContext *context = g_main_context_new();
        g_main_context_push_thread_default(context);
        can_reach_async(monitor, connectable, cancellable, keep_result, &kept);
        while (!kept) g_main_context_iteration(context, TRUE);
        g_main_context_pop_thread_default(context);
        g_main_context_unref(context);
        result = can_reach_finish(monitor, kept, error);
        g_object_unref(kept);
    } else {
        Question *question = make_question(connectable, cancellable, error);
        if (!question) return FALSE;
        result = answer_question(MONITOR(monitor), question, cancellable, error);
        release_question(question);
    }
    return result;
}

void monitor_set_questions(GNetworkMonitorInterface *interface) {
    interface->can_reach = can_reach;
    interface->can_reach_async = can_reach_async;
    interface->can_reach_finish = can_reach_finish;
}
