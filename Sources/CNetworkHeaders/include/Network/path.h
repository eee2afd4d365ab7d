/* SPDX-License-Identifier: Apache-2.0
 *
 * How packets can leave this machine, at one moment. A path does not change.
 */
#ifndef NETWORK_PATH_H
#define NETWORK_PATH_H

#include <Network/endpoint.h>
#include <Network/interface.h>
#include <Network/nw_object.h>

NW_EXTERN_BEGIN
NW_ASSUME_NONNULL_BEGIN

NW_OBJECT_DECL(nw_path);

typedef enum {
    nw_path_status_invalid = 0,
    /* Packets can leave. */
    nw_path_status_satisfied = 1,
    /* Packets cannot leave. */
    nw_path_status_unsatisfied = 2,
    /* The link waits for a connection, such as a dial or a login, that traffic may start. */
    nw_path_status_satisfiable = 3
} nw_path_status_t;

typedef enum {
    /* No interface has a route. On Linux always this. */
    nw_path_unsatisfied_reason_not_available = 0,
    nw_path_unsatisfied_reason_cellular_denied = 1,
    nw_path_unsatisfied_reason_wifi_denied = 2,
    nw_path_unsatisfied_reason_local_network_denied = 3,
    nw_path_unsatisfied_reason_vpn_inactive = 4
} nw_path_unsatisfied_reason_t;

nw_path_status_t nw_path_get_status(nw_path_t path);
nw_path_unsatisfied_reason_t nw_path_get_unsatisfied_reason(nw_path_t path);

/* Whether packets of the family can leave. */
bool nw_path_has_ipv4(nw_path_t path);
bool nw_path_has_ipv6(nw_path_t path);
/* Whether a name server is configured. */
bool nw_path_has_dns(nw_path_t path);

/* Whether packets leave by a mobile network, or by one that NetworkManager calls metered. */
bool nw_path_is_expensive(nw_path_t path);
/* Whether the user wants to save data. Always false on Linux. */
bool nw_path_is_constrained(nw_path_t path);

/* Whether packets leave by an interface of this type. The interface that carries a tunnel counts too. */
bool nw_path_uses_interface_type(nw_path_t path, nw_interface_type_t interface_type);

/* Whether both say the same. */
bool nw_path_is_equal(nw_path_t path, nw_path_t other_path);

/* The ends of the connection that a path belongs to. NULL, because a monitor's path belongs to none. */
nw_endpoint_t NW_NULLABLE nw_path_copy_effective_local_endpoint(nw_path_t path);
nw_endpoint_t NW_NULLABLE nw_path_copy_effective_remote_endpoint(nw_path_t path);

#ifdef NW_HAS_BLOCKS

/* Called with each interface or gateway. Returns whether to go on. */
NW_BLOCK_DECL(bool, nw_path_enumerate_interfaces_block_t, nw_interface_t interface);
NW_BLOCK_DECL(bool, nw_path_enumerate_gateways_block_t, nw_endpoint_t gateway);

/* The interfaces that packets can leave by, the most preferred first. The block is called before the function returns. */
void nw_path_enumerate_interfaces(nw_path_t path, nw_path_enumerate_interfaces_block_t enumerate_block);

/* The gateways of those interfaces, in the same order: endpoints of the type address with port 0. */
void nw_path_enumerate_gateways(nw_path_t path, nw_path_enumerate_gateways_block_t enumerate_block);

#endif

NW_ASSUME_NONNULL_END
NW_EXTERN_END

#endif
