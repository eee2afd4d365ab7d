/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE 1
#include "CAllocationCount.h"

#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

/* The initial-exec model: a variable that itself had to be allocated could not count allocations. */
static __thread uint64_t count __attribute__((tls_model("initial-exec")));

uint64_t allocation_count(void) {
    return count;
}

#if defined(__GLIBC__) && !defined(SANITIZED)

/* glibc's own, under the names it keeps for those who replace malloc (malloc/malloc.c). A program's definitions come
 * before those of any library ("Replacing malloc" in glibc's manual). */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static _Atomic int64_t pieces;
static _Atomic uintptr_t dispatch_start, dispatch_end;

static int find_dispatch(struct dl_phdr_info *library, size_t size, void *context) {
    (void)size, (void)context;
    if (library->dlpi_name == NULL || strstr(library->dlpi_name, "/libdispatch.so") == NULL) return 0;
    for (int index = 0; index < library->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        dispatch_start = library->dlpi_addr + part->p_vaddr;
        dispatch_end = dispatch_start + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void look_for_dispatch(void) {
    dl_iterate_phdr(find_dispatch, NULL);
}

/* Counts a piece, unless the caller is libdispatch. What that allocates it frees itself. */
static inline void note(int64_t difference, const void *caller) {
    uintptr_t address = (uintptr_t)caller;
    if (address >= dispatch_start && address < dispatch_end) return;
    atomic_fetch_add_explicit(&pieces, difference, memory_order_relaxed);
}
#define CALLER __builtin_return_address(0)

void *malloc(size_t size) {
    count++;
    note(1, CALLER);
    return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
    count++;
    note(1, CALLER);
    return __libc_calloc(items, size);
}

void *realloc(void *old, size_t size) {
    count++;
    if (old == NULL) note(1, CALLER);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count++;
    note(1, CALLER);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    note(1, CALLER);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    count++;
    note(1, CALLER);
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}

void free(void *memory) {
    if (memory != NULL) note(-1, CALLER);
    __libc_free(memory);
}

int64_t allocated_pieces(void) {
    return pieces;
}

int allocation_count_works(void) {
    return 1;
}

#else

int64_t allocated_pieces(void) {
    return 0;
}

int allocation_count_works(void) {
    return 0;
}

#endif
