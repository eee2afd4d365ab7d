/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the flags of a host whenever they change, on a loop of poll(2):
 *     cc plain.c $(pkg-config --cflags --libs reachability) -o plain && ./plain www.swift.org
 */
#include <poll.h>
#include <reachability.h>
#include <stdio.h>
#include <stdlib.h>

static long calls_left;

static void changed(unsigned int flags, void *host) {
    printf("%s: 0x%08x\n", (const char *)host, flags);
    fflush(stdout);
    calls_left--;
}

int main(int count, char **words) {
    reachability_target *target;
    reachability_watcher *watcher;
    reachability_error error;

    if (count < 2) return 64;
    calls_left = count > 2 ? atol(words[2]) : -1;
    if (reachability_target_create(words[1], NULL, &target, &error)
        || reachability_watcher_create(&watcher, &error)
        || reachability_watcher_add(watcher, target, changed, words[1], NULL, NULL, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    while (calls_left != 0) {
        struct pollfd request = { -1, POLLIN, 0 };
        request.fd = reachability_watcher_descriptor(watcher);
        if (poll(&request, 1, -1) == 1 && reachability_watcher_process(watcher, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 2;
        }
    }
    reachability_watcher_free(watcher);
    reachability_target_free(target);
    return 0;
}
