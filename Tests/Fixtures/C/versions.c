/* SPDX-License-Identifier: Apache-2.0
 *
 * Uses each structure of reachability.h with what the first version had, and prints "ok". Behind each structure lies what the
 * library must not read, because it would be refused, and must not write.
 */
#include <netinet/in.h>
#include <reachability.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define BEYOND unsigned char beyond[256]

static reachability_error error;

static void ignore(unsigned int flags, void *context) {
    (void)flags;
    (void)context;
}

static int is_untouched(const unsigned char *beyond) {
    int i;
    for (i = 0; i < 256; i++)
        if (beyond[i] != 0xFF) return 0;
    return 1;
}

int main(void) {
    struct { reachability_options options; BEYOND; } asked;
    struct { reachability_conditions conditions; BEYOND; } required;
    struct { reachability_path path; BEYOND; } path;
    struct { reachability_socket_state state; BEYOND; } state;
    const reachability_options nothing = REACHABILITY_OPTIONS_INIT;
    const reachability_conditions any = REACHABILITY_CONDITIONS_INIT;
    reachability_target *target;
    reachability_watcher *watcher;
    reachability_socket *connection;
    struct sockaddr_in address;
    unsigned int flags;
    int udp = socket(AF_INET, SOCK_DGRAM, 0);

    memset(&asked, 0xFF, sizeof asked);
    asked.options = nothing;
    asked.options.interface_name = "eth0";
    asked.options.timeout_milliseconds = 50;
    CHECK(reachability_target_create("10.0.0.7", &asked.options, &target, &error) == REACHABILITY_OK);
    CHECK(reachability_target_get_flags(target, &flags, NULL, &error) == REACHABILITY_OK);
    CHECK(flags == (REACHABILITY_REACHABLE | REACHABILITY_IS_DIRECT));

    memset(&required, 0xFF, sizeof required);
    required.conditions = any;
    required.conditions.required_kind = REACHABILITY_KIND_WIRED;
    CHECK(reachability_watcher_create(&watcher, &error) == REACHABILITY_OK);
    CHECK(reachability_watcher_add_gate(watcher, target, &required.conditions, ignore, NULL, NULL, NULL, &error)
          == REACHABILITY_OK);
    CHECK(reachability_watcher_process(watcher, &error) == REACHABILITY_OK);

    memset(&path, 0xFF, sizeof path);
    path.path.size = sizeof path.path;
    CHECK(reachability_path_get(&asked.options, &path.path, &error) == REACHABILITY_OK);
    CHECK(path.path.status == REACHABILITY_PATH_UNSATISFIED && path.path.size == sizeof path.path);
    CHECK(is_untouched(path.beyond));

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(9);
    address.sin_addr.s_addr = htonl(0x0A000007);
    CHECK(connect(udp, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(reachability_socket_create(udp, &connection, &error) == REACHABILITY_OK);
    memset(&state, 0xFF, sizeof state);
    state.state.size = sizeof state.state;
    CHECK(reachability_socket_get_state(connection, &state.state, &error) == REACHABILITY_OK);
    CHECK(state.state.fate == REACHABILITY_SOCKET_VIABLE && state.state.size == sizeof state.state);
    CHECK(is_untouched(state.beyond));

    reachability_socket_free(connection);
    reachability_watcher_free(watcher);
    reachability_target_free(target);
    close(udp);
    puts("ok");
    return 0;
}
