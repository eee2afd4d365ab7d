/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports the path, now and at each change.
 */
#ifndef NETWORK_PATH_MONITOR_H
#define NETWORK_PATH_MONITOR_H

#include <Network/interface.h>
#include <Network/nw_object.h>
#include <Network/path.h>

NW_EXTERN_BEGIN
NW_ASSUME_NONNULL_BEGIN

NW_OBJECT_DECL(nw_path_monitor);

/* Makes a monitor of the path of the calling thread's network namespace. Release it with nw_release. */
nw_path_monitor_t nw_path_monitor_create(void);

/* Makes a monitor of the path over interfaces of one type. */
nw_path_monitor_t nw_path_monitor_create_with_type(nw_interface_type_t required_interface_type);

/* Leaves interfaces of a type out. May be called for several types. Ignored after the start. */
void nw_path_monitor_prohibit_interface_type(nw_path_monitor_t monitor, nw_interface_type_t interface_type);

/* Sets the queue on which the handlers are called, one at a time. To be called before the start. The queue belongs to the
 * libdispatch that the program has loaded. */
void nw_path_monitor_set_queue(nw_path_monitor_t monitor, dispatch_queue_t queue);

#ifdef NW_HAS_BLOCKS

NW_BLOCK_DECL(void, nw_path_monitor_update_handler_t, nw_path_t path);
NW_BLOCK_DECL(void, nw_path_monitor_cancel_handler_t, void);

/* Sets the block that is called with the path soon after the start, and then at each change. A block that is slower than the
 * changes gets the newest path. NULL for none. */
void nw_path_monitor_set_update_handler(
    nw_path_monitor_t monitor, nw_path_monitor_update_handler_t NW_NULLABLE update_handler);

/* Sets the block that is called once after nw_path_monitor_cancel, when no update can follow. NULL for none. */
void nw_path_monitor_set_cancel_handler(
    nw_path_monitor_t monitor, nw_path_monitor_cancel_handler_t NW_NULLABLE cancel_handler);

#endif

/* Begins to watch. Ignored if there is no queue, after the first start, and after a cancellation. */
void nw_path_monitor_start(nw_path_monitor_t monitor);

/* Ends watching for good. If it is called on the monitor's queue, no update begins after it returns. The monitor may be
 * released at once; the cancel handler is called all the same. Releasing a monitor that was not cancelled ends it too, but
 * calls no handler. */
void nw_path_monitor_cancel(nw_path_monitor_t monitor);

NW_ASSUME_NONNULL_END
NW_EXTERN_END

#endif
