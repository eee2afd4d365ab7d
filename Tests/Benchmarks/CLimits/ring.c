/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CLimits.h"
#include "limits.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#endif
#ifndef IORING_SETUP_TASKRUN_FLAG
#define IORING_SETUP_TASKRUN_FLAG (1U << 9)
#endif
#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER (1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif

enum { page = 4096 };

static _Atomic uint32_t *word(char *memory, uint32_t offset) {
    return (_Atomic uint32_t *)(memory + offset);
}

/* Polls the socket. Returns the ring's memory, or MAP_FAILED with errno. */
static char *begin_poll(int ring, const struct io_uring_params *params, int socket) {
    char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, ring, (off_t)IORING_OFF_SQ_RING);
    struct io_uring_sqe *entry = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, ring, (off_t)IORING_OFF_SQES);
    if (memory == MAP_FAILED || entry == MAP_FAILED) return MAP_FAILED;
    entry->opcode = IORING_OP_POLL_ADD;
    entry->fd = socket;
    entry->poll_events = POLLIN;
    atomic_store(word(memory, params->sq_off.tail), 1);
    long taken = syscall(SYS_io_uring_enter, ring, 1, 0, IORING_ENTER_GETEVENTS, NULL, 0);
    munmap(entry, page);
    return taken == 1 ? memory : MAP_FAILED;
}

double limits_quiet_check_by_ring(int count) {
    struct subscription subscription;
    struct io_uring_params params;
    memset(&params, 0, sizeof params);
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
    int ring = (int)syscall(SYS_io_uring_setup, 1, &params);
    if (ring < 0) return -errno;
    double result = subscribe(&subscription, smallest_queue);
    if (result == 0) {
        char *memory = begin_poll(ring, &params, subscription.socket);
        if (memory == MAP_FAILED) {
            result = -errno;
        } else {
            _Atomic uint32_t *flags = word(memory, params.sq_off.flags);
            _Atomic uint32_t *tail = word(memory, params.cq_off.tail);
            uint32_t head = *word(memory, params.cq_off.head);
            int quiet = 0;
            uint64_t start = now_in_nanoseconds();
            for (int i = 0; i < count; i++) {
                quiet += atomic_load_explicit(flags, memory_order_acquire) == 0 &&
                         atomic_load_explicit(tail, memory_order_acquire) == head;
            }
            uint64_t end = now_in_nanoseconds();
            result = quiet == count ? (double)(end - start) / count : -EBUSY;
            munmap(memory, page);
        }
        unsubscribe(&subscription);
    }
    close(ring);
    return result;
}
