/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints how packets can leave this machine, now and at each change, with the path monitor of Network.framework. Handlers are
 * blocks, and need clang, and a libdispatch with a BlocksRuntime, here those of the Swift toolchain:
 *     S=/opt/swift/usr/lib/swift
 *     clang -fblocks -isystem $S path.c $(pkg-config --cflags --libs CNetwork) \
 *         -L$S/linux -ldispatch -lBlocksRuntime -Wl,-rpath,$S/linux -o path && ./path
 * The argument is the number of paths after which it stops.
 */
#include <Network/Network.h>
#include <stdio.h>
#include <stdlib.h>

static void print(nw_path_t path) {
    if (nw_path_get_status(path) != nw_path_status_satisfied) {
        puts("no way out");
    } else {
        printf(
            "out by%s%s%s", nw_path_has_ipv4(path) ? " IPv4" : "", nw_path_has_ipv6(path) ? " IPv6" : "",
            nw_path_is_expensive(path) ? ", expensive" : "");
        nw_path_enumerate_interfaces(path, ^bool(nw_interface_t interface) {
            printf(", %s", nw_interface_get_name(interface));
            return true;
        });
        puts("");
    }
    fflush(stdout);
}

int main(int count, char **arguments) {
    __block int remaining = count > 1 ? atoi(arguments[1]) : -1;
    nw_path_monitor_t monitor = nw_path_monitor_create();
    nw_path_monitor_set_queue(monitor, dispatch_get_main_queue());
    nw_path_monitor_set_update_handler(monitor, ^(nw_path_t path) {
        print(path);
        if (--remaining == 0) nw_path_monitor_cancel(monitor);
    });
    nw_path_monitor_set_cancel_handler(monitor, ^{
        nw_release(monitor);
        exit(0);
    });
    nw_path_monitor_start(monitor);
    dispatch_main();
}
