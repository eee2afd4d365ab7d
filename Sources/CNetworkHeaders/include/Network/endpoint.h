/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends of connections. A path's gateways are endpoints too.
 */
#ifndef NETWORK_ENDPOINT_H
#define NETWORK_ENDPOINT_H

#include <Network/nw_object.h>

NW_EXTERN_BEGIN
NW_ASSUME_NONNULL_BEGIN

NW_OBJECT_DECL(nw_endpoint);

typedef enum {
    nw_endpoint_type_invalid = 0,
    nw_endpoint_type_address = 1,
    nw_endpoint_type_host = 2,
    nw_endpoint_type_bonjour_service = 3, /* never made on Linux */
    nw_endpoint_type_url = 4              /* never made on Linux */
} nw_endpoint_type_t;

nw_endpoint_type_t nw_endpoint_get_type(nw_endpoint_t endpoint);

/* Makes an endpoint of a name, or of an address such as "192.0.2.1" or "fe80::1%eth0". Nothing is resolved. The port is a
 * number, or the name of a service in /etc/services; if it is neither, the endpoint's port is 0. */
nw_endpoint_t nw_endpoint_create_host(const char *hostname, const char *port);

/* Makes an endpoint of a sockaddr_in or sockaddr_in6. Returns NULL for another family. */
nw_endpoint_t NW_NULLABLE nw_endpoint_create_address(const struct sockaddr *address);

/* The name, or the address as text. It lives as long as the endpoint. */
const char *nw_endpoint_get_hostname(nw_endpoint_t endpoint);

/* The port in host byte order; 0 for a gateway. */
uint16_t nw_endpoint_get_port(nw_endpoint_t endpoint);

/* The port or the address as text. Release it with free(3). The second is NULL if the endpoint is a name. */
char *nw_endpoint_copy_port_string(nw_endpoint_t endpoint);
char *NW_NULLABLE nw_endpoint_copy_address_string(nw_endpoint_t endpoint);

/* The address. It lives as long as the endpoint. NULL if the endpoint is a name. */
const struct sockaddr *NW_NULLABLE nw_endpoint_get_address(nw_endpoint_t endpoint);

NW_ASSUME_NONNULL_END
NW_EXTERN_END

#endif
