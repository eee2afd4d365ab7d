/* SPDX-License-Identifier: Apache-2.0
 *
 * The system calls that a question consists of, made on the spot instead of by libc.
 *
 * libc's are points at which a thread can be cancelled (pthreads(7)), for which each does some work before and after. No
 * question may end there: it holds a requester that others wait for. None of these calls waits, either. And a function
 * less above a system call is a return less that the processor has to guess, after a kernel that has made it forget where
 * calls return to.
 *
 * On other processors than x86-64 they are made by syscall(2), which is no such point either.
 */
#ifndef CLINUX_DIRECT_H
#define CLINUX_DIRECT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__LP64__)

/* The kernel's convention of calling (syscall(2), x86-64): the number and the result, which is the negative of an error's
 * number, in rax; rcx and r11 are lost. The last two arguments, another end's address and its size, are nothing. */
static inline long clinux_call(long number, long a, const void *b, long c, long d) {
    long result;
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = 0;
    register long sixth __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long clinux_direct_epoll_look(int epoll, struct epoll_event *seen) {
    return clinux_call(SYS_epoll_wait, epoll, seen, 1, 0);
}

static inline long clinux_direct_send(int descriptor, const void *bytes, size_t length) {
    return clinux_call(SYS_sendto, descriptor, bytes, (long)length, 0);
}

static inline long clinux_direct_receive(int descriptor, void *buffer, size_t capacity, int flags) {
    return clinux_call(SYS_recvfrom, descriptor, buffer, (long)capacity, flags);
}

#else

static inline long clinux_direct_epoll_look(int epoll, struct epoll_event *seen) {
    long count = syscall(SYS_epoll_pwait, epoll, seen, 1, 0, NULL, 0);
    return count < 0 ? -errno : count;
}

static inline long clinux_direct_send(int descriptor, const void *bytes, size_t length) {
    long count = syscall(SYS_sendto, descriptor, bytes, length, 0, NULL, 0);
    return count < 0 ? -errno : count;
}

static inline long clinux_direct_receive(int descriptor, void *buffer, size_t capacity, int flags) {
    long count = syscall(SYS_recvfrom, descriptor, buffer, capacity, flags, NULL, NULL);
    return count < 0 ? -errno : count;
}

#endif

/* epoll_wait(2) that does not wait: whether the one descriptor of an instance is ready, or that cannot be told. */
static inline bool clinux_epoll_look(int epoll) {
    struct epoll_event seen;
    return clinux_direct_epoll_look(epoll, &seen) != 0;
}

/* Takes a datagram if there is one: its true length, more than the capacity where it was cut off; or -errno. */
static inline long clinux_receive_one(int descriptor, void *buffer, size_t capacity) {
    long status;
    do {
        status = clinux_direct_receive(descriptor, buffer, capacity, MSG_DONTWAIT | MSG_TRUNC);
    } while (status == -EINTR);
    return status;
}

/* Sends a datagram to the kernel, and takes the answers, which are there when the sending is over: each into a slot of the
 * buffer, its true length into `lengths`. Says how many came; or -errno, where the sending failed (`*is_sent` is then 0), or a
 * receive did otherwise than for want of more. */
static inline long clinux_exchange(
    int descriptor, const void *bytes, size_t length, void *buffer, size_t slot_size, unsigned slots, uint32_t *lengths,
    int *is_sent) {
    long status;
    do {
        status = clinux_direct_send(descriptor, bytes, length);
    } while (status == -EINTR);
    *is_sent = status >= 0;
    if (status < 0) return status;
    for (unsigned i = 0; i < slots; i++) {
        status = clinux_receive_one(descriptor, (char *)buffer + i * slot_size, slot_size);
        if (status == -EAGAIN && i > 0) return i;
        if (status < 0) return status;
        lengths[i] = (uint32_t)status;
    }
    return slots;
}

#endif
