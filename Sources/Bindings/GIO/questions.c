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

    if (reachability_target_get_flags(target, &flags, &failure) != REACHABILITY_OK) {
        g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, failure.message);
        reachability_target_free(target);
        return FALSE;
    }
    /* Who has cancelled is not told this answer, so a change is still one from the answer before. */
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
} Question;

static void free_question(gpointer data) {
    Question *question = data;
    g_object_unref(question->connectable);
    reachability_target_free(question->target);
    g_free(question);
}

/* Nothing, with an error, if there can be no such target or the question is cancelled already. */
static Question *make_question(GSocketConnectable *connectable, GCancellable *cancellable, GError **error) {
    reachability_error failure;
    Question *question;

    if (g_cancellable_set_error_if_cancelled(cancellable, error)) return NULL;
    question = g_new0(Question, 1);
    question->connectable = g_object_ref(connectable);
    if (!G_IS_NETWORK_ADDRESS(connectable)
        || reachability_target_create(
               g_network_address_get_hostname(G_NETWORK_ADDRESS(connectable)), NULL, &question->target, &failure)
            == REACHABILITY_OK)
        return question;
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, failure.message);
    free_question(question);
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

/* A question that a thread answers while another waits, who goes on when it is cancelled. The last of the two frees this. */
typedef struct {
    ReachabilityMonitor *monitor;
    GCancellable *cancellable;
    Question *question;
    GMutex mutex;
    GCond changed;
    gboolean is_answered;
    gboolean result;
    GError *error;
} Wait;

static void free_wait(gpointer data) {
    Wait *wait = data;
    g_object_unref(wait->monitor);
    g_object_unref(wait->cancellable);
    free_question(wait->question);
    g_mutex_clear(&wait->mutex);
    g_cond_clear(&wait->changed);
    g_clear_error(&wait->error);
}

static gpointer answer_wait(gpointer data) {
    Wait *wait = data;
    GError *error = NULL;
    gboolean result = answer_question(wait->monitor, wait->question, wait->cancellable, &error);

    g_mutex_lock(&wait->mutex);
    wait->is_answered = TRUE;
    wait->result = result;
    wait->error = error;
    g_cond_signal(&wait->changed);
    g_mutex_unlock(&wait->mutex);
    g_atomic_rc_box_release_full(wait, free_wait);
    return NULL;
}

static void wake(GCancellable *cancellable, Wait *wait) {
    (void)cancellable;
    g_mutex_lock(&wait->mutex);
    g_cond_signal(&wait->changed);
    g_mutex_unlock(&wait->mutex);
}

/* A thread of its own and not one of GTask's, which the child of a fork takes for running. It goes on after a cancellation until
 * its limit, as that of GLib's own resolver. Takes the question. */
static gboolean wait_for_answer(
    ReachabilityMonitor *monitor, Question *question, GCancellable *cancellable, GError **error) {
    Wait *wait = g_atomic_rc_box_new0(Wait);
    gboolean result;
    GThread *thread;
    gulong handler;

    wait->monitor = g_object_ref(monitor);
    wait->cancellable = g_object_ref(cancellable);
    wait->question = question;
    g_mutex_init(&wait->mutex);
    g_cond_init(&wait->changed);
    handler = g_cancellable_connect(cancellable, G_CALLBACK(wake), wait, NULL);
    thread = g_thread_try_new("reachability", answer_wait, g_atomic_rc_box_acquire(wait), NULL);
    if (thread) g_thread_unref(thread);
    else answer_wait(wait);
    g_mutex_lock(&wait->mutex);
    while (!wait->is_answered && !g_cancellable_is_cancelled(cancellable)) g_cond_wait(&wait->changed, &wait->mutex);
    result = wait->result;
    if (!wait->is_answered) g_cancellable_set_error_if_cancelled(cancellable, error);
    else if (!result) g_propagate_error(error, g_steal_pointer(&wait->error));
    g_mutex_unlock(&wait->mutex);
    g_cancellable_disconnect(cancellable, handler);
    g_atomic_rc_box_release_full(wait, free_wait);
    return result;
}

static gboolean can_reach(
    GNetworkMonitor *monitor, GSocketConnectable *connectable, GCancellable *cancellable, GError **error) {
    Question *question = make_question(connectable, cancellable, error);
    gboolean result;

    if (!question) return FALSE;
    if (question->target && cancellable) return wait_for_answer(MONITOR(monitor), question, cancellable, error);
    result = answer_question(MONITOR(monitor), question, cancellable, error);
    free_question(question);
    return result;
}

static void answer_task(GTask *task, gpointer monitor, gpointer question, GCancellable *cancellable) {
    GError *error = NULL;
    if (answer_question(monitor, question, cancellable, &error)) g_task_return_boolean(task, TRUE);
    else g_task_return_error(task, error);
}

static void can_reach_async(
    GNetworkMonitor *monitor, GSocketConnectable *connectable, GCancellable *cancellable,
    GAsyncReadyCallback callback, gpointer data) {
    GError *error = NULL;
    Question *question = make_question(connectable, cancellable, &error);
    GTask *task;

    if (!question) {
        g_task_report_error(monitor, callback, data, can_reach_async, error);
        return;
    }
    task = g_task_new(monitor, cancellable, callback, data);
    g_task_set_task_data(task, question, free_question);
    g_task_set_return_on_cancel(task, TRUE);
    /* A name may take seconds. An address is answered at once. */
    if (G_IS_SOCKET_ADDRESS(connectable)) answer_task(task, monitor, question, cancellable);
    else g_task_run_in_thread(task, answer_task);
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
