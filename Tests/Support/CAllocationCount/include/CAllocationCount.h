/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the memory allocations of a thread. Whatever links this has its malloc and relatives replaced by ones that
 * count and then do what glibc's do.
 */
#ifndef CALLOCATIONCOUNT_H
#define CALLOCATIONCOUNT_H

#include <stdint.h>

/* How often the calling thread has allocated or resized memory so far; always 0 where the sanitizers' own malloc is in
 * the place that this one would take. */
uint64_t allocation_count(void);

/* How many bytes this process has allocated and not freed (mallinfo(3)); always 0 under a sanitizer. */
uint64_t allocated_bytes(void);

/* Whether allocations are counted in this build. */
int allocation_count_works(void);

#endif
