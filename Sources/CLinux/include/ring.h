/* SPDX-License-Identifier: Apache-2.0
 *
 * An io_uring with one lasting poll of one descriptor. Memory that the kernel shares with the process tells every thread
 * whether the descriptor has become readable.
 *
 * Any thread may call `clinux_ring_is_quiet`. One thread makes all other calls between opening and closing.
 */
#ifndef CLINUX_RING_H
#define CLINUX_RING_H

#include <stdbool.h>

struct clinux_ring;
struct clinux_ring *clinux_ring_new(void); /* NULL if there is no memory */
void clinux_ring_free(struct clinux_ring *ring); /* must have been closed */

/* Opens a ring and starts the poll. Returns 0; or -1 if the kernel or a system call filter forbids it. */
int clinux_ring_open(struct clinux_ring *ring, int target);
void clinux_ring_close(struct clinux_ring *ring);

/* Lets the kernel do deferred work and takes the completions. Returns 1 if the poll goes on and the ring is quiet; 0 if a
 * new ring is needed; -1 for an error. */
int clinux_ring_process(struct clinux_ring *ring);

/* Whether the kernel has neither deferred work nor completions for us. The ring must have been opened once. The result
 * means something only between `clinux_ring_process` and `clinux_ring_close`. */
bool clinux_ring_is_quiet(const struct clinux_ring *ring);

#endif
