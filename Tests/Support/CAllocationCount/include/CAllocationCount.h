/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the memory allocations of a thread, and what the process holds. Whatever links this has its malloc and relatives replaced by ones that
 * count and then do what glibc's do.
 */
#ifndef CALLOCATIONCOUNT_H
#define CALLOCATIONCOUNT_H

#include <stdint.h>

/* How often the calling thread has allocated or resized memory so far; always 0 where the sanitizers' own malloc is in
 * the place that this one would take. */
uint64_t allocation_count(void);

/* How many pieces of memory this process has allocated and not freed, leaving out what libdispatch has: each of its threads
 * keeps up to a thousand pieces for later (_dispatch_continuation_free_cacheonly). Always 0 under a sanitizer. */
int64_t allocated_pieces(void);

/* Whether allocations are counted in this build. */
int allocation_count_works(void);

#endif
