/* SPDX-License-Identifier: Apache-2.0
 *
 * sandboxed ADDRESS: watches an address that is not there, makes it one of this machine with ip(8), and says what it was told.
 */
#include <poll.h>
#include <reachability.h>
#include <stdio.h>
#include <stdlib.h>

static int told;
static unsigned int last;

static void changed(unsigned int flags, void *context) {
    (void)context;
    told++;
    last = flags;
    printf("flags 0x%x\n", flags);
}

int main(int count, char **words) {
    reachability_target *target;
    reachability_watcher *watcher;
    char command[128];
    if (count != 2 || reachability_target_create(words[1], NULL, &target, NULL) != 0) return 1;
    if (reachability_watcher_create(&watcher, NULL) != 0) return 2;
    if (reachability_watcher_add(watcher, target, changed, NULL, NULL, NULL, NULL) != 0) return 3;
    struct pollfd request = {.fd = reachability_watcher_descriptor(watcher), .events = POLLIN};
    while (last == 0 && poll(&request, 1, 60000) == 1) {
        if (reachability_watcher_process(watcher, NULL) != 0) return 5;
        if (told != 1) continue;
        told++;
        snprintf(command, sizeof command, "ip address add %s/32 dev lo", words[1]);
        if (system(command) != 0) return 4;
        reachability_watcher_recheck(watcher);
    }
    reachability_watcher_free(watcher);
    reachability_target_free(target);
    return last == 0;
}
