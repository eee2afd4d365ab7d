/* SPDX-License-Identifier: Apache-2.0
 *
 * The path monitor of Apple's Network framework: how packets can leave this machine, now and at each change.
 *
 *     nw_path_monitor_t monitor = nw_path_monitor_create();
 *     nw_path_monitor_set_queue(monitor, queue);
 *     nw_path_monitor_set_update_handler(monitor, ^(nw_path_t path) {
 *         puts(nw_path_get_status(path) == nw_path_status_satisfied ? "online" : "offline");
 *     });
 *     nw_path_monitor_start(monitor);
 *
 * Handlers are blocks: compile with clang -fblocks. What has a block as a parameter is not declared for other compilers.
 */
#ifndef NETWORK_NETWORK_H
#define NETWORK_NETWORK_H

#include <Network/nw_object.h>

#include <Network/endpoint.h>
#include <Network/interface.h>
#include <Network/path.h>
#include <Network/path_monitor.h>

#endif
