/* SPDX-License-Identifier: Apache-2.0
 *
 * A client without CoreFoundation or libdispatch, for gcc and clang, as C and as C++. Needs lo to be up.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <SystemConfiguration/SCSocketAddressLengths.h>
#include <SystemConfiguration/SCWithoutCoreFoundation.h>

#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int retains, releases, calls;
static SCNetworkReachabilityFlags seen;

static const void *retain(const void *info) {
    pthread_mutex_lock(&lock);
    retains++;
    pthread_mutex_unlock(&lock);
    return info;
}

static void release(const void *info) {
    (void)info;
    pthread_mutex_lock(&lock);
    releases++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void callback(SCNetworkReachabilityRef target, SCNetworkReachabilityFlags flags, void *info) {
    SCNetworkReachabilityFlags again = 0;
    CHECK(info == &lock);
    CHECK(SCNetworkReachabilityGetFlags(target, &again));
    pthread_mutex_lock(&lock);
    calls++;
    seen = flags;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void bad_input(void) {
    SCNetworkReachabilityFlags flags = 7;
    struct sockaddr other;
    memset(&other, 0, sizeof other);
    other.sa_family = AF_UNIX;
    CHECK(!SCNetworkReachabilityCreateWithName(NULL, NULL) && SCError() == kSCStatusInvalidArgument);
    CHECK(!SCNetworkReachabilityCreateWithName(NULL, ""));
    CHECK(!SCNetworkReachabilityCreateWithAddress(NULL, NULL));
    CHECK(!SCNetworkReachabilityCreateWithAddress(NULL, &other));
    CHECK(!SCNetworkReachabilityCreateWithAddressPair(NULL, NULL, NULL));
    CHECK(!SCNetworkReachabilityCreateWithAddressPair(NULL, &other, NULL));
    CHECK(!SCNetworkReachabilityGetFlags(NULL, &flags) && flags == 7);
    CHECK(!SCNetworkReachabilitySetCallback(NULL, NULL, NULL));
    CHECK(!SCNetworkReachabilitySetDispatchQueue(NULL, NULL));
    CHECK(!SCNetworkReachabilityScheduleWithRunLoop(NULL, NULL, NULL));
    CHECK(!SCNetworkReachabilityUnscheduleFromRunLoop(NULL, NULL, NULL));
    CHECK(!SCNetworkReachabilityScheduleOnThread(NULL));
    CHECK(!SCNetworkReachabilityUnscheduleFromThread(NULL));
    CHECK(SCNetworkReachabilityGetInterfaceIndex(NULL) == -1);
    CHECK(!SCNetworkCheckReachabilityByName(NULL, &flags));
    CHECK(!SCNetworkCheckReachabilityByAddress(&other, 16, &flags));
    SCNetworkReachabilityRelease(NULL);
    CHECK(SCNetworkReachabilityRetain(NULL) == NULL);
    CHECK(SCCopyLastError() == NULL);

    SCNetworkReachabilityRef target = SCNetworkReachabilityCreateWithName(NULL, "127.0.0.1");
    CHECK(target);
    CHECK(!SCNetworkReachabilityGetFlags(target, NULL) && SCError() == kSCStatusInvalidArgument);
    CHECK(!SCNetworkReachabilityScheduleWithRunLoop(target, NULL, NULL));
    CHECK(!SCNetworkReachabilityUnscheduleFromThread(target));
    CHECK(!SCNetworkReachabilitySetDispatchQueue(target, NULL));
    CHECK(SCNetworkReachabilityScheduleOnThread(target));
    CHECK(!SCNetworkReachabilityScheduleOnThread(target) && SCError() == kSCStatusInvalidArgument);
    CHECK(SCNetworkReachabilityUnscheduleFromThread(target));
    SCNetworkReachabilityRelease(target);
    CHECK(strcmp(SCErrorString(kSCStatusInvalidArgument), "Invalid argument") == 0);
}

static void addresses(void) {
    struct sockaddr_in address;
    SCNetworkReachabilityFlags flags = 0;
    memset(&address, 0, sizeof address);
    address.sin_len = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    SCNetworkReachabilityRef target =
        SCNetworkReachabilityCreateWithAddress(kCFAllocatorDefault, (struct sockaddr *)&address);
    CHECK(target && SCNetworkReachabilityGetFlags(target, &flags) && flags == 0x30002);
    CHECK(SCNetworkReachabilityGetInterfaceIndex(target) == 1);
    CFRetain(target);
    CFRelease(target);
    CFRelease(target);
    flags = 0;
    CHECK(SCNetworkCheckReachabilityByAddress((struct sockaddr *)&address, sizeof address, &flags));
    CHECK(flags == 0x30002);
    CHECK(!SCNetworkCheckReachabilityByAddress((struct sockaddr *)&address, 15, &flags));
}

static void on_thread(void) {
    SCNetworkReachabilityContext context = {0, &lock, retain, release, NULL};
    SCNetworkReachabilityRef target = SCNetworkReachabilityCreateWithName(NULL, "localhost");
    CHECK(SCNetworkReachabilitySetCallback(target, callback, &context));
    CHECK(SCNetworkReachabilityScheduleOnThread(target));
    pthread_mutex_lock(&lock);
    while (calls == 0) pthread_cond_wait(&changed, &lock);
    CHECK(seen == 0x30002 && retains == 1 && releases == 0);
    pthread_mutex_unlock(&lock);
    CHECK(SCNetworkReachabilityUnscheduleFromThread(target));
    CHECK(SCNetworkReachabilitySetCallback(target, NULL, NULL));
    /* A callout may still be running. It holds the context until it returns. */
    pthread_mutex_lock(&lock);
    while (releases == 0) pthread_cond_wait(&changed, &lock);
    CHECK(retains == 1 && releases == 1);
    pthread_mutex_unlock(&lock);
    SCNetworkReachabilityRelease(target);
}

static void after_fork(void) {
    SCNetworkReachabilityRef target = SCNetworkReachabilityCreateWithName(NULL, "127.0.0.1");
    SCNetworkReachabilityFlags flags = 0;
    CHECK(SCNetworkReachabilityScheduleOnThread(target));
    pid_t child = fork();
    if (child == 0) {
        SCNetworkReachabilityRef own = SCNetworkReachabilityCreateWithName(NULL, "127.0.0.1");
        int good = own && SCNetworkReachabilityGetFlags(target, &flags) && flags == 0x30002
            && SCNetworkReachabilityGetFlags(own, &flags) && SCNetworkReachabilityScheduleOnThread(own)
            && SCNetworkReachabilityUnscheduleFromThread(own) && !SCNetworkReachabilityUnscheduleFromThread(target);
        SCNetworkReachabilityRelease(own);
        SCNetworkReachabilityRelease(target);
        _exit(good ? 0 : 3);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(SCNetworkReachabilityGetFlags(target, &flags) && flags == 0x30002);
    CHECK(SCNetworkReachabilityUnscheduleFromThread(target));
    SCNetworkReachabilityRelease(target);
}

static void ignore(SCNetworkReachabilityRef target, SCNetworkReachabilityFlags flags, void *info) {
    (void)target, (void)flags, (void)info;
}

static void *stress(void *shared) {
    SCNetworkReachabilityContext context = {0, &lock, retain, release, NULL};
    for (int i = 0; i < 50; i++) {
        SCNetworkReachabilityRef own = SCNetworkReachabilityCreateWithName(NULL, i % 2 ? "127.0.0.1" : "localhost");
        SCNetworkReachabilityRef targets[] = {own, (SCNetworkReachabilityRef)shared};
        for (int j = 0; j < 2; j++) {
            SCNetworkReachabilityFlags flags = 0;
            CHECK(SCNetworkReachabilitySetCallback(targets[j], ignore, &context));
            SCNetworkReachabilityScheduleOnThread(targets[j]);
            CHECK(SCNetworkReachabilityGetFlags(targets[j], &flags) && flags == 0x30002);
            SCNetworkReachabilityUnscheduleFromThread(targets[j]);
            if (i % 3) SCNetworkReachabilitySetCallback(targets[j], NULL, NULL);
        }
        SCNetworkReachabilityRelease(own);
    }
    return NULL;
}

static void on_many_threads(int count) {
    pthread_t threads[16];
    SCNetworkReachabilityRef shared = SCNetworkReachabilityCreateWithName(NULL, "127.0.0.1");
    retains = releases = 0;
    for (int i = 0; i < count; i++) CHECK(pthread_create(&threads[i], NULL, stress, (void *)shared) == 0);
    for (int i = 0; i < count; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    SCNetworkReachabilityUnscheduleFromThread(shared);
    SCNetworkReachabilityRelease(shared);
    pthread_mutex_lock(&lock);
    while (retains != releases) pthread_cond_wait(&changed, &lock);
    CHECK(retains == count * 100);
    pthread_mutex_unlock(&lock);
}

int main(int count, char **arguments) {
    bad_input();
    addresses();
    on_thread();
    /* Not under valgrind, which reports what the parent's threads held as lost in the child. */
    if (count < 3) after_fork();
    on_many_threads(count > 1 ? atoi(arguments[1]) : 16);
    puts("ok");
    return 0;
}
