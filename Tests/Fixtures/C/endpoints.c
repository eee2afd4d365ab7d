/* SPDX-License-Identifier: Apache-2.0
 *
 * What the headers of Network.framework offer without blocks.
 */
#include <Network/Network.h>
#include <string.h>

#include "check.h"

int main(void) {
    nw_endpoint_t endpoint = nw_endpoint_create_host("192.0.2.1", "80");
    nw_path_monitor_t monitor = nw_path_monitor_create();
    CHECK(nw_endpoint_get_type(endpoint) == nw_endpoint_type_address && nw_endpoint_get_port(endpoint) == 80);
    CHECK(strcmp(nw_endpoint_get_hostname(endpoint), "192.0.2.1") == 0);
    nw_path_monitor_cancel(monitor);
    nw_release(monitor);
    nw_release(endpoint);
    puts("ok");
    return 0;
}
