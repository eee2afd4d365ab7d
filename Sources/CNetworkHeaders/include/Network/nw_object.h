/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects: how long they exist, and how they are retained and released.
 *
 * A function with `create` or `copy` in its name returns an object that the caller releases with nw_release. An object that
 * a block is given lives until the block returns; nw_retain keeps it longer. Every object may be used from any thread.
 */
#ifndef NETWORK_NW_OBJECT_H
#define NETWORK_NW_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sockaddr;

#ifdef NW_OPAQUE_HANDLES

/* The types for the library itself. It is written in Swift, which cannot export C functions that take blocks, or a queue
 * that it knows as a class. */
typedef struct nw_opaque *nw_handle;
#define dispatch_queue_t nw_handle
#define NW_OBJECT_DECL(type) typedef nw_handle type##_t
#define NW_BLOCK_DECL(result, type, ...) typedef nw_handle type
#define NW_HAS_BLOCKS 1

#else

/* Apple's headers include that of libdispatch too. Sources often include nothing else. */
#ifdef __BLOCKS__
#if __has_include(<dispatch/dispatch.h>)
#include <dispatch/dispatch.h>
#define NW_HAS_DISPATCH 1
#endif
#define NW_HAS_BLOCKS 1
#define NW_BLOCK_DECL(result, type, ...) typedef result (^type)(__VA_ARGS__)
#endif
#ifndef NW_HAS_DISPATCH
typedef struct dispatch_queue_s *dispatch_queue_t;
#endif
#define NW_OBJECT_DECL(type) typedef struct type *type##_t

#endif

/* clang checks which pointers may be NULL. For the library itself every pointer may be, as a C program can pass it. */
#if defined(__clang__) && !defined(NW_OPAQUE_HANDLES)
#define NW_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NW_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NW_NULLABLE _Nullable
#else
#define NW_ASSUME_NONNULL_BEGIN
#define NW_ASSUME_NONNULL_END
#define NW_NULLABLE
#endif

#ifdef __cplusplus
#define NW_EXTERN_BEGIN extern "C" {
#define NW_EXTERN_END }
#else
#define NW_EXTERN_BEGIN
#define NW_EXTERN_END
#endif

NW_EXTERN_BEGIN

/* Keeps an object of any type of these headers, and returns it. NULL is returned as it is. */
void *NW_NULLABLE nw_retain(void *NW_NULLABLE obj);

/* Undoes a create, a copy or an nw_retain. NULL is ignored. */
void nw_release(void *NW_NULLABLE obj);

NW_EXTERN_END

#endif
