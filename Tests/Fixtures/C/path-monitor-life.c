/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of path monitors, paths and endpoints. Prints "ok" at the end. Compiles on Apple's systems too.
 */
#include <Network/Network.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "check.h"

static dispatch_queue_t queue;

static bool came(dispatch_semaphore_t semaphore) {
    return dispatch_semaphore_wait(semaphore, dispatch_time(DISPATCH_TIME_NOW, 60 * (int64_t)NSEC_PER_SEC)) == 0;
}

/* What is put on the queue after the library's calls runs after them. */
static void drain(void) {
    dispatch_sync(queue, ^{});
}

static void updates_then_cancels(void) {
    dispatch_semaphore_t updated = dispatch_semaphore_create(0), cancelled = dispatch_semaphore_create(0);
    __block nw_path_t kept = NULL;
    __block int updates = 0, cancellations = 0;
    nw_path_monitor_t monitor = nw_path_monitor_create();
    nw_path_monitor_set_queue(monitor, queue);
    nw_path_monitor_set_update_handler(monitor, ^(nw_path_t path) {
        if (updates++ == 0) kept = (nw_path_t)nw_retain(path);
        dispatch_semaphore_signal(updated);
    });
    nw_path_monitor_set_cancel_handler(monitor, ^{
        cancellations++;
        dispatch_semaphore_signal(cancelled);
    });
    nw_path_monitor_start(monitor);
    nw_path_monitor_start(monitor);
    CHECK(came(updated));

    /* A path outlives the block and the monitor. The handler is called although the monitor is released at once. */
    nw_path_monitor_cancel(monitor);
    nw_path_monitor_cancel(monitor);
    nw_path_monitor_start(monitor);
    nw_release(monitor);
    CHECK(came(cancelled));
    drain();
    CHECK(updates == 1 && cancellations == 1);
    CHECK(nw_path_get_status(kept) == nw_path_status_unsatisfied);
    CHECK(nw_path_is_equal(kept, kept));
    CHECK(nw_path_copy_effective_local_endpoint(kept) == NULL && nw_path_copy_effective_remote_endpoint(kept) == NULL);
    nw_release(kept);
    dispatch_release(updated);
    dispatch_release(cancelled);
}

static void a_handler_releases_the_monitor(void) {
    dispatch_semaphore_t cancelled = dispatch_semaphore_create(0);
    nw_path_monitor_t monitor = nw_path_monitor_create();
    nw_path_monitor_set_queue(monitor, queue);
    nw_path_monitor_set_update_handler(monitor, ^(nw_path_t path) {
        (void)path;
        nw_path_monitor_cancel(monitor);
    });
    nw_path_monitor_set_cancel_handler(monitor, ^{
        nw_release(monitor);
        dispatch_semaphore_signal(cancelled);
    });
    nw_path_monitor_start(monitor);
    CHECK(came(cancelled));
    drain();
    dispatch_release(cancelled);
}

static void released_without_a_cancellation(void) {
    __block int calls = 0;
    nw_path_monitor_t monitor = nw_path_monitor_create();
    nw_path_monitor_set_queue(monitor, queue);
    dispatch_suspend(queue);
    nw_path_monitor_set_update_handler(monitor, ^(nw_path_t path) {
        (void)path;
        calls++;
    });
    nw_path_monitor_set_cancel_handler(monitor, ^{
        calls++;
    });
    nw_path_monitor_start(monitor);
    nw_release(monitor);
    dispatch_resume(queue);
    drain();
    CHECK(calls == 0);
}

static void never_started(void) {
    dispatch_semaphore_t cancelled = dispatch_semaphore_create(0);
    nw_path_monitor_t monitor = nw_path_monitor_create();
    nw_path_monitor_start(monitor); /* without a queue */
    nw_path_monitor_set_queue(monitor, queue);
    nw_path_monitor_set_cancel_handler(monitor, ^{
        dispatch_semaphore_signal(cancelled);
    });
    nw_path_monitor_cancel(monitor);
    CHECK(came(cancelled));
    nw_release(monitor);
    dispatch_release(cancelled);
}

static void a_handler_on_a_concurrent_queue(int rounds) {
    dispatch_queue_t many = dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0);
    for (int i = 0; i < rounds; i++) {
        dispatch_semaphore_t cancelled = dispatch_semaphore_create(0);
        __block int order = 0;
        nw_path_monitor_t monitor = nw_path_monitor_create();
        nw_path_monitor_set_queue(monitor, many);
        nw_path_monitor_set_update_handler(monitor, ^(nw_path_t path) {
            CHECK(nw_path_get_status(path) == nw_path_status_unsatisfied && order == 0);
        });
        nw_path_monitor_set_cancel_handler(monitor, ^{
            order = 1;
            dispatch_semaphore_signal(cancelled);
        });
        nw_path_monitor_start(monitor);
        nw_path_monitor_cancel(monitor);
        nw_release(monitor);
        CHECK(came(cancelled));
        dispatch_release(cancelled);
    }
}

static void lists_of_a_loopback(void) {
    dispatch_semaphore_t updated = dispatch_semaphore_create(0);
    nw_path_monitor_t monitor = nw_path_monitor_create_with_type(nw_interface_type_loopback);
    __block nw_interface_t kept = NULL;
    __block int seen = 0;
    nw_path_monitor_set_queue(monitor, queue);
    nw_path_monitor_set_update_handler(monitor, ^(nw_path_t path) {
        nw_path_enumerate_interfaces(path, ^bool(nw_interface_t interface) {
            seen++;
            kept = (nw_interface_t)nw_retain(interface);
            return false;
        });
        CHECK(nw_path_uses_interface_type(path, nw_interface_type_loopback));
        dispatch_semaphore_signal(updated);
    });
    nw_path_monitor_start(monitor);
    CHECK(came(updated));
    nw_path_monitor_cancel(monitor);
    nw_release(monitor);
    drain();
    CHECK(seen == 1 && strcmp(nw_interface_get_name(kept), "lo") == 0 && nw_interface_get_index(kept) == 1);
    CHECK(nw_interface_get_type(kept) == nw_interface_type_loopback);
    nw_release(kept);
    dispatch_release(updated);
}

static void check_endpoint(
    const char *host, const char *port, nw_endpoint_type_t type, const char *text, uint16_t number) {
    nw_endpoint_t endpoint = nw_endpoint_create_host(host, port);
    char *port_text = nw_endpoint_copy_port_string(endpoint), *address = nw_endpoint_copy_address_string(endpoint);
    CHECK(nw_endpoint_get_type(endpoint) == type);
    CHECK(strcmp(nw_endpoint_get_hostname(endpoint), text) == 0);
    CHECK(nw_endpoint_get_port(endpoint) == number && atoi(port_text) == number);
    CHECK((address != NULL) == (type == nw_endpoint_type_address));
    CHECK((nw_endpoint_get_address(endpoint) != NULL) == (type == nw_endpoint_type_address));
    CHECK(address == NULL || strcmp(address, text) == 0);
    free(port_text);
    free(address);
    nw_release(endpoint);
}

static void endpoints(void) {
    check_endpoint("www.example.org", "443", nw_endpoint_type_host, "www.example.org", 443);
    check_endpoint("192.0.2.1", "65535", nw_endpoint_type_address, "192.0.2.1", 65535);
    check_endpoint("2001:DB8::1", "0", nw_endpoint_type_address, "2001:db8::1", 0);
    check_endpoint("fe80::1%lo", "1", nw_endpoint_type_address, "fe80::1%lo", 1);
    check_endpoint("", "no such service", nw_endpoint_type_host, "", 0);

    struct sockaddr_in given;
    memset(&given, 0, sizeof given);
    given.sin_family = AF_INET;
    given.sin_port = htons(8080);
    given.sin_addr.s_addr = htonl(0xC0000201);
    nw_endpoint_t endpoint = nw_endpoint_create_address((struct sockaddr *)&given);
    const struct sockaddr_in *found = (const struct sockaddr_in *)nw_endpoint_get_address(endpoint);
    CHECK(found->sin_family == AF_INET && found->sin_port == given.sin_port);
    CHECK(found->sin_addr.s_addr == given.sin_addr.s_addr);
    CHECK(strcmp(nw_endpoint_get_hostname(endpoint), "192.0.2.1") == 0 && nw_endpoint_get_port(endpoint) == 8080);
    CHECK(nw_retain(endpoint) == (void *)endpoint);
    nw_release(endpoint);
    nw_release(endpoint);

    struct sockaddr_in6 six;
    memset(&six, 0, sizeof six);
    six.sin6_family = AF_INET6;
    six.sin6_addr = in6addr_loopback;
    endpoint = nw_endpoint_create_address((struct sockaddr *)&six);
    CHECK(strcmp(nw_endpoint_get_hostname(endpoint), "::1") == 0);
    nw_release(endpoint);
    given.sin_family = AF_UNIX;
    CHECK(nw_endpoint_create_address((struct sockaddr *)&given) == NULL);
}

#ifdef __clang__
#pragma clang diagnostic ignored "-Wnonnull"
#endif

/* The headers forbid it, and old sources do it all the same. */
static void nothing(void) {
    nw_path_t path = NULL;
    nw_interface_t interface = NULL;
    nw_endpoint_t endpoint = NULL;
    nw_path_monitor_t monitor = NULL;
    CHECK(nw_path_get_status(path) == nw_path_status_invalid && !nw_path_has_ipv4(path) && !nw_path_is_expensive(path));
    CHECK(nw_interface_get_name(interface) == NULL && nw_interface_get_index(interface) == 0);
    CHECK(nw_endpoint_get_type(endpoint) == nw_endpoint_type_invalid && nw_endpoint_get_hostname(endpoint) == NULL);
    CHECK(nw_retain(NULL) == NULL);
    nw_release(NULL);
    nw_path_monitor_set_queue(monitor, queue);
    nw_path_monitor_start(monitor);
    nw_path_monitor_cancel(monitor);
    monitor = nw_path_monitor_create();
    nw_path_monitor_set_update_handler(monitor, NULL);
    nw_path_monitor_set_cancel_handler(monitor, NULL);
    nw_path_monitor_cancel(monitor);
    nw_release(monitor);
}

/* The argument is a number of monitors. */
int main(int argc, char **argv) {
    queue = dispatch_queue_create("monitor", NULL);
    /* With one monitor from beginning to end, the others start faster. */
    nw_path_monitor_t lasting = nw_path_monitor_create();
    nw_path_monitor_set_queue(lasting, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0));
    nw_path_monitor_start(lasting);
    updates_then_cancels();
    a_handler_releases_the_monitor();
    released_without_a_cancellation();
    never_started();
    a_handler_on_a_concurrent_queue(argc > 1 ? atoi(argv[1]) : 100);
    lists_of_a_loopback();
    endpoints();
    nothing();
    nw_path_monitor_cancel(lasting);
    nw_release(lasting);
    dispatch_release(queue);
    puts("ok");
    return 0;
}
