/* SPDX-License-Identifier: Apache-2.0
 *
 * Is told of changes on a thread of the library's own, without CoreFoundation or libdispatch:
 *     cc thread.c $(pkg-config --cflags --libs CSystemConfiguration) -pthread -o thread && ./thread www.swift.org
 * A second argument says after how many changes to stop.
 */
#include <SystemConfiguration/SystemConfiguration.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct news {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    int count;
    SCNetworkReachabilityFlags flags;
};

static void changed(SCNetworkReachabilityRef target, SCNetworkReachabilityFlags flags, void *info) {
    struct news *news = (struct news *)info;
    (void)target;
    pthread_mutex_lock(&news->lock);
    news->flags = flags;
    news->count++;
    pthread_cond_signal(&news->arrived);
    pthread_mutex_unlock(&news->lock);
}

int main(int count, char **arguments) {
    if (count < 2) return 64;
    int limit = count > 2 ? atoi(arguments[2]) : -1;
    struct news news = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
    SCNetworkReachabilityContext context = {0, &news, NULL, NULL, NULL};
    SCNetworkReachabilityRef target = SCNetworkReachabilityCreateWithName(NULL, arguments[1]);
    if (!target || !SCNetworkReachabilitySetCallback(target, changed, &context)
        || !SCNetworkReachabilityScheduleOnThread(target)) {
        fprintf(stderr, "%s: %s\n", arguments[1], SCErrorString(SCError()));
        SCNetworkReachabilityRelease(target);
        return 2;
    }
    pthread_mutex_lock(&news.lock);
    for (int seen = 0; seen != limit; seen = news.count) {
        while (news.count == seen) pthread_cond_wait(&news.arrived, &news.lock);
        printf("%s: 0x%08x\n", arguments[1], (unsigned)news.flags);
        fflush(stdout);
    }
    pthread_mutex_unlock(&news.lock);
    SCNetworkReachabilityUnscheduleFromThread(target);
    SCNetworkReachabilityRelease(target);
    return 0;
}
