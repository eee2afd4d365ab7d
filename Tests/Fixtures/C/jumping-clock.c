/* SPDX-License-Identifier: Apache-2.0
 *
 * For LD_PRELOAD: a wall clock that is set again and again. The first reading is 0 s after the start of 2030, the next
 * 0 s after that of 2010, the third 1 s after that of 2030, and so on. A call that has the kernel wait by that clock ends
 * the process, because nothing may depend on it.
 */
#define _GNU_SOURCE 1
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { second_in_2030 = 1893456000, second_in_2010 = 1262304000 };

static time_t jump(void) {
    static atomic_int readings;
    int number = atomic_fetch_add(&readings, 1);
    return (number % 2 == 0 ? second_in_2030 : second_in_2010) + number / 2;
}

static int is_wall(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (!is_wall(clock)) return (int)syscall(SYS_clock_gettime, clock, now);
    *now = (struct timespec){.tv_sec = jump()};
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    *now = (struct timeval){.tv_sec = jump()};
    return 0;
}

time_t time(time_t *now) {
    time_t moment = jump();
    if (now) *now = moment;
    return moment;
}

int timerfd_create(clockid_t clock, int flags) {
    if (is_wall(clock)) abort();
    return (int)syscall(SYS_timerfd_create, clock, flags);
}
