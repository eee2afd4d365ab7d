/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the flags of a host whenever they change, on libuv's loop:
 *     cc libuv.c $(pkg-config --cflags --libs reachability libuv) -o libuv && ./libuv www.swift.org
 */
#include <reachability.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

static long calls_left;

static void changed(unsigned int flags, void *host) {
    printf("%s: 0x%08x\n", (const char *)host, flags);
    fflush(stdout);
    calls_left--;
}

static void ready(uv_poll_t *handle, int status, int events) {
    reachability_error error;
    (void)status;
    (void)events;
    if (reachability_watcher_process(handle->data, &error)) {
        fprintf(stderr, "%s\n", error.message);
        calls_left = 0;
    }
    if (calls_left == 0) uv_close((uv_handle_t *)handle, NULL);
}

int main(int count, char **words) {
    reachability_target *target;
    reachability_watcher *watcher;
    reachability_error error;
    uv_poll_t handle;

    if (count < 2) return 64;
    calls_left = count > 2 ? atol(words[2]) : -1;
    if (reachability_target_create(words[1], NULL, &target, &error)
        || reachability_watcher_create(&watcher, &error)
        || reachability_watcher_add(watcher, target, changed, words[1], NULL, NULL, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    if (uv_poll_init(uv_default_loop(), &handle, reachability_watcher_descriptor(watcher))) return 2;
    handle.data = watcher;
    uv_poll_start(&handle, UV_READABLE, ready);
    /* Ends when its last handle is closed. */
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
    reachability_watcher_free(watcher);
    reachability_target_free(target);
    return uv_loop_close(uv_default_loop()) ? 2 : 0;
}
