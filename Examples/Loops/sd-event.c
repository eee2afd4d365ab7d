/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the flags of a host whenever they change, on systemd's event loop:
 *     cc sd-event.c $(pkg-config --cflags --libs reachability libsystemd) -o sd-event && ./sd-event www.swift.org
 */
#include <reachability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>

static long calls_left;

static void changed(unsigned int flags, void *host) {
    printf("%s: 0x%08x\n", (const char *)host, flags);
    fflush(stdout);
    calls_left--;
}

static int ready(sd_event_source *source, int descriptor, unsigned int events, void *watcher) {
    reachability_error error;
    (void)descriptor;
    (void)events;
    if (reachability_watcher_process(watcher, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return sd_event_exit(sd_event_source_get_event(source), 2);
    }
    return calls_left == 0 ? sd_event_exit(sd_event_source_get_event(source), 0) : 0;
}

int main(int count, char **words) {
    reachability_target *target;
    reachability_watcher *watcher;
    reachability_error error;
    sd_event *loop;
    int status;

    if (count < 2) return 64;
    calls_left = count > 2 ? atol(words[2]) : -1;
    if (reachability_target_create(words[1], NULL, &target, &error)
        || reachability_watcher_create(&watcher, &error)
        || reachability_watcher_add(watcher, target, changed, words[1], NULL, NULL, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    if (sd_event_default(&loop) < 0
        || sd_event_add_io(loop, NULL, reachability_watcher_descriptor(watcher), EPOLLIN, ready, watcher) < 0)
        return 2;
    status = sd_event_loop(loop);
    sd_event_unref(loop);
    reachability_watcher_free(watcher);
    reachability_target_free(target);
    return status;
}
