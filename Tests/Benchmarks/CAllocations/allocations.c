/* SPDX-License-Identifier: Apache-2.0 */
#include "CAllocations.h"

#include <errno.h>
#include <stddef.h>

/* The internal names of glibc's functions. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local long count;

long allocations_of_this_thread(void) {
    return count;
}

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count++;
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    *memory = memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}
