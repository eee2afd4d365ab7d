/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints each update of a path monitor on standard error. Written from Apple's documentation of Network.framework, and not
 * changed for Linux. The argument is the type of the interfaces to watch; "no-wired" leaves wires out.
 */
#include <Network/Network.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *type_name(nw_interface_type_t type) {
    switch (type) {
    case nw_interface_type_other: return "other";
    case nw_interface_type_wifi: return "wifi";
    case nw_interface_type_cellular: return "cellular";
    case nw_interface_type_wired: return "wired";
    case nw_interface_type_loopback: return "loopback";
    }
    return "?";
}

static const char *status_name(nw_path_status_t status) {
    switch (status) {
    case nw_path_status_invalid: return "invalid";
    case nw_path_status_satisfied: return "satisfied";
    case nw_path_status_unsatisfied: return "unsatisfied";
    case nw_path_status_satisfiable: return "satisfiable";
    }
    return "?";
}

static void print_path(nw_path_t path) {
    static char line[512];
    snprintf(line, sizeof line, "<%s", status_name(nw_path_get_status(path)));
    nw_path_enumerate_interfaces(path, ^bool(nw_interface_t interface) {
        size_t length = strlen(line);
        snprintf(
            line + length, sizeof line - length, " %s=%s%s", nw_interface_get_name(interface),
            type_name(nw_interface_get_type(interface)), nw_interface_get_index(interface) > 0 ? "" : "?");
        return true;
    });
    nw_path_enumerate_gateways(path, ^bool(nw_endpoint_t gateway) {
        size_t length = strlen(line);
        if (nw_endpoint_get_type(gateway) != nw_endpoint_type_address) abort();
        snprintf(
            line + length, sizeof line - length, " via %s:%d", nw_endpoint_get_hostname(gateway),
            nw_endpoint_get_port(gateway));
        return true;
    });
    size_t length = strlen(line);
    snprintf(
        line + length, sizeof line - length, "%s%s%s%s%s%s>\n", nw_path_has_ipv4(path) ? " ipv4" : "",
        nw_path_has_ipv6(path) ? " ipv6" : "", nw_path_has_dns(path) ? " dns" : "",
        nw_path_is_expensive(path) ? " expensive" : "", nw_path_is_constrained(path) ? " constrained" : "",
        nw_path_uses_interface_type(path, nw_interface_type_wired) ? " uses-wired" : "");
    fputs(line, stderr);
    if (nw_path_get_unsatisfied_reason(path) != nw_path_unsatisfied_reason_not_available) abort();
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    nw_path_monitor_t monitor = strcmp(kind, "wifi") == 0 ? nw_path_monitor_create_with_type(nw_interface_type_wifi)
                                                          : nw_path_monitor_create();
    if (strcmp(kind, "no-wired") == 0) nw_path_monitor_prohibit_interface_type(monitor, nw_interface_type_wired);

    dispatch_queue_t queue = dispatch_queue_create("monitor", DISPATCH_QUEUE_SERIAL);
    nw_path_monitor_set_queue(monitor, queue);
    nw_path_monitor_set_update_handler(monitor, ^(nw_path_t path) {
        print_path(path);
    });
    nw_path_monitor_start(monitor);
    dispatch_main();
}
