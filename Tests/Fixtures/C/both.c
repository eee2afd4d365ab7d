/* SPDX-License-Identifier: Apache-2.0
 *
 * Uses both C libraries at once, each of which contains the core, and prints "ok": asks and watches the same target with both,
 * also in the child of a fork. Changes the routes of its network namespace, which has the interface eth0 with 10.0.0.1/24.
 */
#define _GNU_SOURCE 1
#include <SystemConfiguration/SystemConfiguration.h>
#include <poll.h>
#include <pthread.h>
#include <reachability.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { limit = 120 * 1000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned int told_there = -1, told_here = -1;

static void on_change_there(SCNetworkReachabilityRef target, SCNetworkReachabilityFlags flags, void *info) {
    (void)target, (void)info;
    pthread_mutex_lock(&lock);
    told_there = flags;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void on_change_here(unsigned int flags, void *context) {
    (void)context;
    told_here = flags;
}

/* Waits until both have told these flags. */
static void wait_for(reachability_watcher *watcher, unsigned int flags) {
    struct pollfd request = {.fd = reachability_watcher_descriptor(watcher), .events = POLLIN};
    while (told_here != flags) {
        CHECK(poll(&request, 1, limit) == 1);
        CHECK(reachability_watcher_process(watcher, NULL) == REACHABILITY_OK);
    }
    pthread_mutex_lock(&lock);
    while (told_there != flags) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void ask(const char *text, unsigned int expected) {
    SCNetworkReachabilityRef there = SCNetworkReachabilityCreateWithName(NULL, text);
    SCNetworkReachabilityFlags flags = 77;
    reachability_target *here;
    unsigned int answer = 77;

    CHECK(there && SCNetworkReachabilityGetFlags(there, &flags) && flags == expected);
    CHECK(reachability_target_create(text, NULL, &here, NULL) == REACHABILITY_OK);
    CHECK(reachability_target_get_flags(here, &answer, NULL, NULL) == REACHABILITY_OK && answer == expected);
    SCNetworkReachabilityRelease(there);
    reachability_target_free(here);
}

static void ask_all(void) {
    ask("127.0.0.1", REACHABILITY_REACHABLE | REACHABILITY_IS_LOCAL_ADDRESS | REACHABILITY_IS_DIRECT);
    ask("localhost", REACHABILITY_REACHABLE | REACHABILITY_IS_LOCAL_ADDRESS | REACHABILITY_IS_DIRECT);
    ask("10.0.0.7", REACHABILITY_REACHABLE | REACHABILITY_IS_DIRECT);
}

static void run(const char *command) { CHECK(system(command) == 0); }

int main(void) {
    SCNetworkReachabilityRef there = SCNetworkReachabilityCreateWithName(NULL, "192.0.2.1");
    reachability_watcher *watcher;
    reachability_target *here;
    int status = -1;
    pid_t child;

    ask_all();
    CHECK(there && SCNetworkReachabilitySetCallback(there, on_change_there, NULL));
    CHECK(SCNetworkReachabilityScheduleOnThread(there));
    CHECK(reachability_watcher_create(&watcher, NULL) == REACHABILITY_OK);
    CHECK(reachability_target_create("192.0.2.1", NULL, &here, NULL) == REACHABILITY_OK);
    CHECK(reachability_watcher_add(watcher, here, on_change_here, NULL, NULL, NULL, NULL) == REACHABILITY_OK);
    run("ip route add default via 10.0.0.254");
    wait_for(watcher, REACHABILITY_REACHABLE);

    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        ask_all();
        ask("192.0.2.1", REACHABILITY_REACHABLE);
        reachability_target_free(here);
        reachability_watcher_free(watcher);
        SCNetworkReachabilityRelease(there);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);

    run("ip route del default");
    wait_for(watcher, 0);
    ask("192.0.2.1", 0);
    reachability_watcher_free(watcher);
    reachability_target_free(here);
    run("ip route add default via 10.0.0.254");
    pthread_mutex_lock(&lock);
    while (told_there != REACHABILITY_REACHABLE) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    CHECK(SCNetworkReachabilityUnscheduleFromThread(there));
    SCNetworkReachabilityRelease(there);
    run("ip route del default");
    ask_all();
    puts("ok");
    return 0;
}
