/* SPDX-License-Identifier: Apache-2.0
 *
 * Cancels questions of GLib's monitor while they are asked, and prints "ok". A name server that does not answer is played by
 * the functions below, which the module calls instead of the library's.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <pthread.h>
#include <reachability.h>
#include <unistd.h>

#include "check.h"

static GNetworkMonitor *monitor;
static GCancellable *cancellable;
/* Thread Sanitizer does not know those of GLib. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
/* What has happened to the name: all under the mutex. */
static gboolean is_told, is_freed, is_watched;
static reachability_target *asked;

static void wait_for(gboolean *fact) {
    pthread_mutex_lock(&mutex);
    while (!*fact) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void note(gboolean *fact) {
    pthread_mutex_lock(&mutex);
    *fact = TRUE;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}

/* The question is cancelled as soon as it is asked, and answered when the program has been told so. */
int reachability_target_get_flags(
    reachability_target *target, unsigned int *flags, int *reason, reachability_error *error) {
    (void)reason, (void)error;
    asked = target;
    g_cancellable_cancel(cancellable);
    wait_for(&is_told);
    *flags = REACHABILITY_REACHABLE;
    return REACHABILITY_OK;
}

void reachability_target_free(reachability_target *target) {
    void (*release)(reachability_target *) = dlsym(RTLD_NEXT, "reachability_target_free");
    CHECK(release);
    release(target);
    if (target && target == asked) note(&is_freed);
}

int reachability_watcher_add(
    reachability_watcher *watcher, reachability_target *target, reachability_callback callback, void *context,
    reachability_free_callback free_context, uint64_t *identifier, reachability_error *error) {
    (void)watcher, (void)target, (void)callback, (void)context, (void)free_context, (void)identifier, (void)error;
    note(&is_watched);
    return REACHABILITY_OTHER;
}

static void on_answer(GObject *object, GAsyncResult *result, gpointer error) {
    CHECK(!g_network_monitor_can_reach_finish(G_NETWORK_MONITOR(object), result, error));
}

/* A cancelled question ends at once, and its late answer has no effect. */
static void cancel_name(gboolean is_async) {
    GSocketConnectable *name = g_network_address_new("db.example", 443);
    GError *error = NULL;

    cancellable = g_cancellable_new();
    is_told = is_freed = FALSE;
    if (is_async) {
        g_network_monitor_can_reach_async(monitor, name, cancellable, on_answer, &error);
        while (!error) g_main_context_iteration(NULL, TRUE);
    } else {
        CHECK(!g_network_monitor_can_reach(monitor, name, cancellable, &error));
    }
    CHECK(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
    note(&is_told);
    wait_for(&is_freed);
    while (g_main_context_iteration(NULL, FALSE)) continue;
    CHECK(!is_watched);
    g_error_free(error);
    g_object_unref(name);
    g_object_unref(cancellable);
}

/* Something that leads to one address, and is cancelled while the next is looked for. */
typedef struct {
    GSocketAddressEnumerator parent;
    gboolean has_given;
} Addresses;
typedef struct {
    GSocketAddressEnumeratorClass parent;
} AddressesClass;
static GType addresses_get_type(void);
G_DEFINE_TYPE(Addresses, addresses, G_TYPE_SOCKET_ADDRESS_ENUMERATOR)

static GSocketAddress *next(GSocketAddressEnumerator *enumerator, GCancellable *given, GError **error) {
    Addresses *addresses = (Addresses *)enumerator;
    if (addresses->has_given) {
        g_cancellable_cancel(given);
        g_cancellable_set_error_if_cancelled(given, error);
        return NULL;
    }
    addresses->has_given = TRUE;
    /* No internet address, which cannot be reached. */
    return g_unix_socket_address_new("/nowhere");
}

static void addresses_init(Addresses *addresses) { (void)addresses; }
static void addresses_class_init(AddressesClass *class) { G_SOCKET_ADDRESS_ENUMERATOR_CLASS(class)->next = next; }

typedef struct {
    GObject parent;
} Service;
typedef struct {
    GObjectClass parent;
} ServiceClass;
static GType service_get_type(void);
static GSocketAddressEnumerator *enumerate(GSocketConnectable *service) {
    (void)service;
    return g_object_new(addresses_get_type(), NULL);
}
static void connectable_init(GSocketConnectableIface *interface) { interface->enumerate = enumerate; }
G_DEFINE_TYPE_WITH_CODE(
    Service, service, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE(G_TYPE_SOCKET_CONNECTABLE, connectable_init))
static void service_init(Service *service) { (void)service; }
static void service_class_init(ServiceClass *class) { (void)class; }

static void cancel_service(void) {
    GSocketConnectable *service = g_object_new(service_get_type(), NULL);
    GError *error = NULL;

    cancellable = g_cancellable_new();
    CHECK(!g_network_monitor_can_reach(monitor, service, cancellable, &error));
    CHECK(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
    g_error_free(error);
    g_object_unref(service);
    g_object_unref(cancellable);
}

int main(void) {
    /* If anything waits for ever, this ends it. */
    alarm(120);
    /* So that this program needs the library, and the module takes the functions above. */
    CHECK(reachability_version());
    monitor = g_network_monitor_get_default();
    CHECK(strcmp(G_OBJECT_TYPE_NAME(monitor), "ReachabilityMonitor") == 0);
    cancel_service();
    cancel_name(TRUE);
    cancel_name(FALSE);
    puts("ok");
    return 0;
}
