/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of io_uring(7) that RingIdleCheck.swift needs: a ring with one lasting poll in it. libc has no functions for
 * io_uring. RingIdleCheck.swift explains what the ring proves.
 */
#define _GNU_SOURCE 1
#include "ring.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Values that headers of older distributions lack. A number that the kernel has released never changes. */
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#endif
#ifndef IORING_POLL_ADD_MULTI
#define IORING_POLL_ADD_MULTI (1U << 0) /* linux/io_uring.h; this and the next: Linux 5.13 */
#define IORING_CQE_F_MORE (1U << 1)
#endif
#ifndef IORING_SETUP_TASKRUN_FLAG
#define IORING_SETUP_TASKRUN_FLAG (1U << 9) /* Linux 5.19 */
#endif
#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER (1U << 12) /* Linux 6.0 */
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13) /* Linux 6.1 */
#endif
#ifndef IORING_SETUP_NO_MMAP
#define IORING_SETUP_NO_MMAP (1U << 14) /* Linux 6.5 */
#define user_addr resv2                 /* its name in older headers */
#endif

typedef _Atomic uint32_t shared_word;

struct clinux_ring {
    /* Any thread may read these once they are set. They always point into `memory`. */
    _Atomic(shared_word *) flags, head, tail;
    /* The rest belongs to the thread that opens the ring. */
    char *memory; /* two pages that stay at their address: the ring and, in the second page, the submissions */
    size_t page;
    int descriptor;
    const struct io_uring_cqe *completions;
    uint32_t mask;
};

enum { max_completions = 64 };

struct clinux_ring *clinux_ring_new(void) {
    struct clinux_ring *ring = calloc(1, sizeof *ring);
    if (ring != NULL) ring->descriptor = -1;
    return ring;
}

void clinux_ring_free(struct clinux_ring *ring) {
    if (ring->memory != NULL) munmap(ring->memory, 2 * ring->page);
    free(ring);
}

/* Maps new, zeroed pages at the address of the old ones. The old pages stay pinned by the old ring, into which the kernel may
 * still write after it was closed. A reader sees the exchange as one step, because a page fault waits for a change of the
 * mappings. The memory is shared, because otherwise each side of a fork would write to a copy. */
static int renew_memory(struct clinux_ring *ring) {
    void *address = mmap(
        ring->memory, 2 * ring->page, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS | (ring->memory != NULL ? MAP_FIXED : 0), -1, 0);
    if (address == MAP_FAILED) return -1;
    ring->memory = address;
    return 0;
}

static uint32_t load(const _Atomic(shared_word *) *word) {
    return atomic_load_explicit(atomic_load_explicit(word, memory_order_relaxed), memory_order_acquire);
}

bool clinux_ring_is_quiet(const struct clinux_ring *ring) {
    return load(&ring->flags) == 0 && load(&ring->tail) == load(&ring->head);
}

static int enter(int descriptor, unsigned submissions) {
    return (int)syscall(SYS_io_uring_enter, descriptor, submissions, 0, IORING_ENTER_GETEVENTS, NULL, 0);
}

static int begin_poll(struct clinux_ring *ring, const struct io_uring_params *params, int target) {
    struct io_uring_sqe *entry = (struct io_uring_sqe *)(ring->memory + ring->page);
    uint32_t events = POLLIN;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    events <<= 16; /* the kernel swaps the halves (io_poll_parse_events in io_uring/poll.c) */
#endif
    entry->opcode = IORING_OP_POLL_ADD;
    entry->fd = target;
    entry->len = IORING_POLL_ADD_MULTI;
    entry->poll32_events = events;
    /* The index array is all zero, so it points to this first entry. */
    atomic_store_explicit((shared_word *)(ring->memory + params->sq_off.tail), 1, memory_order_release);
    int taken = enter(ring->descriptor, 1);
    if (taken == 0) errno = EAGAIN;
    return taken == 1 ? 0 : -1;
}

static int open_ring(struct clinux_ring *ring, int target) {
    struct io_uring_params params;
    memset(&params, 0, sizeof params);
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
                   IORING_SETUP_NO_MMAP | IORING_SETUP_CQSIZE;
    params.cq_entries = max_completions;
    params.cq_off.user_addr = (uintptr_t)ring->memory;
    params.sq_off.user_addr = (uintptr_t)(ring->memory + ring->page);
    ring->descriptor = (int)syscall(SYS_io_uring_setup, 1, &params);
    if (ring->descriptor < 0) return -1;
    ring->completions = (const struct io_uring_cqe *)(ring->memory + params.cq_off.cqes);
    ring->mask = params.cq_entries - 1;
    atomic_store_explicit(
        &ring->flags, (shared_word *)(ring->memory + params.sq_off.flags), memory_order_relaxed);
    atomic_store_explicit(&ring->head, (shared_word *)(ring->memory + params.cq_off.head), memory_order_relaxed);
    atomic_store_explicit(&ring->tail, (shared_word *)(ring->memory + params.cq_off.tail), memory_order_relaxed);
    return begin_poll(ring, &params, target);
}

int clinux_ring_open(struct clinux_ring *ring, int target) {
    /* A seccomp(2) filter may end the process for a system call that it does not expect. */
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) > 0) {
        errno = EPERM;
        return -1;
    }
    ring->page = (size_t)sysconf(_SC_PAGESIZE);
    if (renew_memory(ring) != 0) return -1;
    int status = open_ring(ring, target);
    if (status != 0) {
        int error = errno;
        clinux_ring_close(ring);
        errno = error;
    }
    return status;
}

int clinux_ring_process(struct clinux_ring *ring) {
    if (enter(ring->descriptor, 0) < 0) return -1;
    bool goes_on = true;
    uint32_t head = load(&ring->head);
    for (uint32_t tail = load(&ring->tail); head != tail; head++) {
        if ((ring->completions[head & ring->mask].flags & IORING_CQE_F_MORE) == 0) goes_on = false;
    }
    atomic_store_explicit(atomic_load_explicit(&ring->head, memory_order_relaxed), head, memory_order_release);
    return goes_on && clinux_ring_is_quiet(ring);
}

void clinux_ring_close(struct clinux_ring *ring) {
    if (ring->descriptor >= 0) close(ring->descriptor);
    ring->descriptor = -1;
}
