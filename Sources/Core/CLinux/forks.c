/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CLinux.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A fork waits until no other thread is at work in this package, for at most this long. A thread that is at work may hold a
 * lock of Swift's runtime or of this package, and the child waits for ever for a lock that is held at the fork. A first call
 * makes the metadata of many types under such locks, and on a busy machine that takes longer than a few milliseconds. A thread
 * that wants to work during the fork itself waits as long at most: the fork handler of another library may wait for it. */
static const int64_t longest_wait = 250 * 1000 * 1000;
/* A thread that wants to work while a fork waits lets it go first, for at most this long. Then the fork waits for this thread. */
static const int64_t longest_wait_before_fork = 20 * 1000 * 1000;

static _Atomic uint32_t epoch;
/* How many threads are at work. */
static _Atomic uint32_t working;
/* How many threads fork or wait for that. */
static _Atomic uint32_t wanting;
/* How many threads fork now. A thread raises `working` and then reads the other two, and a fork raises those and then reads
 * `working`. So one of the two sees the other. */
static _Atomic uint32_t forking;
/* How many calls of clinux_begin_work on this thread have not ended, and whether the thread could be cancelled before the first. */
static _Thread_local struct clinux_work work;

/* The last number that a thread has got, and that of this thread, or 0. */
static _Atomic uint32_t threads;
static _Thread_local uint32_t number;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Sleeps while *word is value, until a moment. */
static void sleep_while(_Atomic uint32_t *word, uint32_t value, int64_t end) {
    int64_t left = end - now();
    if (left <= 0) return;
    struct timespec limit = {.tv_sec = 0, .tv_nsec = left};
    int before = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
    errno = before;
}

static void wake(_Atomic uint32_t *word) {
    int before = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
    errno = before;
}

static void stop_working(void) {
    atomic_fetch_sub(&working, 1);
    if (atomic_load(&wanting) != 0) wake(&working);
}

static void start_working(void) {
    int64_t start = 0;
    while (1) {
        atomic_fetch_add(&working, 1);
        uint32_t others = atomic_load(&wanting);
        if (others == 0) return;
        uint32_t forks = atomic_load(&forking);
        if (start == 0) start = now();
        int64_t end = start + (forks == 0 ? longest_wait_before_fork : longest_wait);
        if (now() >= end) return;
        stop_working();
        if (forks == 0)
            sleep_while(&wanting, others, end);
        else
            sleep_while(&forking, forks, end);
    }
}

void clinux_begin_work(void) {
    if (work.depth++ != 0) return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &work.cancellation);
    start_working();
}

void clinux_end_work(void) {
    if (--work.depth != 0) return;
    stop_working();
    pthread_setcancelstate(work.cancellation, NULL);
}

bool clinux_is_at_work(void) { return work.depth != 0; }

struct clinux_work clinux_pause_work(bool calls_client) {
    struct clinux_work before = work;
    if (before.depth == 0) return before;
    work.depth = 0;
    stop_working();
    if (calls_client) pthread_setcancelstate(before.cancellation, NULL);
    return before;
}

void clinux_resume_work(struct clinux_work before) {
    if (before.depth == 0) return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    start_working();
    work = before;
}

static void before_fork(void) {
    uint32_t own = work.depth != 0;
    int64_t end = now() + longest_wait;
    atomic_fetch_add(&wanting, 1);
    while (1) {
        atomic_fetch_add(&forking, 1);
        uint32_t others = atomic_load(&working);
        if (others <= own || now() >= end) return;
        atomic_fetch_sub(&forking, 1);
        wake(&forking);
        sleep_while(&working, others, end);
    }
}

static void after_fork(void) {
    atomic_fetch_sub(&forking, 1);
    atomic_fetch_sub(&wanting, 1);
    wake(&forking);
    wake(&wanting);
}

static void after_fork_in_child(void) {
    atomic_fetch_add(&epoch, 1);
    atomic_store(&working, work.depth != 0);
    atomic_store(&wanting, 0);
    atomic_store(&forking, 0);
}

/* When the library is loaded: a process may fork before it asks its first question. This fails for lack of memory only. */
__attribute__((constructor)) static void register_fork_handlers(void) {
    (void)pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

uint32_t clinux_fork_epoch(void) {
    return atomic_load_explicit(&epoch, memory_order_relaxed);
}

uint32_t clinux_thread_number(void) {
    if (number == 0) number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
    return number;
}

void clinux_wait_while_two(const void *word) {
    int before = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    errno = before;
}

void clinux_wake_one(const void *word) {
    int before = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = before;
}
