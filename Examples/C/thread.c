/* SPDX-License-Identifier: Apache-2.0
 *
 * Gets callbacks on a thread of the library, without CoreFoundation or libdispatch:
 *     cc thread.c $(pkg-config --cflags --libs CSystemConfiguration) -pthread -o thread && ./thread www.swift.org
 * A second argument is the number of changes after which it stops.
 */
#include <SystemConfiguration/SystemConfiguration.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct state {
    pthread_mutex_t lock;
    pthread_cond_t update;
    int count;
    SCNetworkReachabilityFlags flags;
};

static void changed(SCNetworkReachabilityRef target, SCNetworkReachabilityFlags flags, void *info) {
    struct state *state = (struct state *)info;
    (void)target;
    pthread_mutex_lock(&state->lock);
    state->flags = flags;
    state->count++;
    pthread_cond_signal(&state->update);
    pthread_mutex_unlock(&state->lock);
}

int main(int count, char **arguments) {
    if (count < 2) return 64;
    int limit = count > 2 ? atoi(arguments[2]) : -1;
    struct state state = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
    SCNetworkReachabilityContext context = {0, &state, NULL, NULL, NULL};
    SCNetworkReachabilityRef target = SCNetworkReachabilityCreateWithName(NULL, arguments[1]);
    if (!target || !SCNetworkReachabilitySetCallback(target, changed, &context)
        || !SCNetworkReachabilityScheduleOnThread(target)) {
        fprintf(stderr, "%s: %s\n", arguments[1], SCErrorString(SCError()));
        SCNetworkReachabilityRelease(target);
        return 2;
    }
    pthread_mutex_lock(&state.lock);
    for (int seen = 0; seen != limit; seen = state.count) {
        while (state.count == seen) pthread_cond_wait(&state.update, &state.lock);
        printf("%s: 0x%08x\n", arguments[1], (unsigned)state.flags);
        fflush(stdout);
    }
    pthread_mutex_unlock(&state.lock);
    SCNetworkReachabilityUnscheduleFromThread(target);
    SCNetworkReachabilityRelease(target);
    return 0;
}
