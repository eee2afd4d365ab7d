/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CAllocationCount.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

/* The initial-exec model, because a variable that must itself be allocated could not count allocations. */
static __thread uint64_t count __attribute__((tls_model("initial-exec")));

uint64_t allocation_count(void) {
    return count;
}

#if defined(__GLIBC__) && !defined(SANITIZED)

/* glibc's own functions, under the names that remain if malloc is replaced (malloc/malloc.c). The definitions of a program come
 * before those of any library ("Replacing malloc" in glibc's manual). */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
    count++;
    return __libc_calloc(items, size);
}

void *realloc(void *old, size_t size) {
    count++;
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    count++;
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}

void free(void *memory) {
    __libc_free(memory);
}

/* The sum of all arenas and of blocks with their own pages. */
uint64_t allocated_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

int allocation_count_works(void) {
    return 1;
}

#else

uint64_t allocated_bytes(void) {
    return 0;
}

int allocation_count_works(void) {
    return 0;
}

#endif
