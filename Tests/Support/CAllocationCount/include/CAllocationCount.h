/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the memory allocations of a thread. Linking this replaces malloc and its relatives by functions that count and then
 * call glibc's.
 */
#ifndef CALLOCATIONCOUNT_H
#define CALLOCATIONCOUNT_H

#include <stdint.h>

/* How often the calling thread has allocated or resized memory; always 0 under a sanitizer, which replaces malloc itself. */
uint64_t allocation_count(void);

/* How many bytes this process has allocated and not freed (mallinfo2(3)); always 0 under a sanitizer. */
uint64_t allocated_bytes(void);

/* Whether allocations are counted in this build. */
int allocation_count_works(void);

#endif
