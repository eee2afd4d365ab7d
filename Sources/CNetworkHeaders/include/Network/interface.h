/* SPDX-License-Identifier: Apache-2.0
 *
 * Network interfaces.
 */
#ifndef NETWORK_INTERFACE_H
#define NETWORK_INTERFACE_H

#include <Network/nw_object.h>

NW_EXTERN_BEGIN
NW_ASSUME_NONNULL_BEGIN

NW_OBJECT_DECL(nw_interface);

typedef enum {
    /* None of the others, such as the tunnel of a VPN. */
    nw_interface_type_other = 0,
    nw_interface_type_wifi = 1,
    /* A mobile network. */
    nw_interface_type_cellular = 2,
    /* Ethernet, including the virtual kind: that of a container or a virtual machine, a bridge, a bond, a VLAN. */
    nw_interface_type_wired = 3,
    nw_interface_type_loopback = 4
} nw_interface_type_t;

nw_interface_type_t nw_interface_get_type(nw_interface_t interface);

/* The name, such as "eth0". It lives as long as the interface. */
const char *nw_interface_get_name(nw_interface_t interface);

/* The kernel's number for it (if_nametoindex(3)). */
uint32_t nw_interface_get_index(nw_interface_t interface);

NW_ASSUME_NONNULL_END
NW_EXTERN_END

#endif
