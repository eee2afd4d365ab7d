/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into tests under Thread Sanitizer. Tells it what Swift's Mutex does when it is contended.
 *
 * The fast path of Synchronization.Mutex is an atomic operation that is compiled into the caller, where the sanitizer sees
 * it. The slow path, for contended locks, is in libswiftSynchronization, which is built without the sanitizer. So a lock that
 * a thread had to wait for looks like none, and the accesses under it like races. The functions here replace those of the
 * library, call them, and report to the sanitizer. Nothing is suppressed, so real races are still found.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

/* Synchronization._MutexHandle's _lockSlow(UInt32), _tryLockSlow() -> Bool and _unlockSlow(), of Swift 6.0 to 6.3. */
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF) {
    static SWIFT void (*next)(uint32_t, SELF);
    if (!next) next = (SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK);
    next(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT bool try_lock_slow(SELF) {
    static SWIFT bool (*next)(SELF);
    if (!next) next = (SWIFT bool (*)(SELF))dlsym(RTLD_NEXT, TRY_LOCK);
    bool locked = next(handle);
    if (locked && __tsan_acquire) __tsan_acquire(handle);
    return locked;
}

SWIFT void unlock_slow(SELF) {
    static SWIFT void (*next)(SELF);
    if (!next) next = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(handle);
    next(handle);
}
