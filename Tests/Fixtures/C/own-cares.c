/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with a c-ares of its own, as node is one, asks for a name, and prints the error, or that there is none. Its c-ares
 * is too old: the only function of it that may be called says so. With PART, it is a part of a newer one, of which no function
 * may be called.
 */
#include <reachability.h>

#include "check.h"

#ifdef PART
int ares_set_servers_ports(void *channel, void *servers);

int ares_set_servers_ports(void *channel, void *servers) {
    (void)channel, (void)servers;
    CHECK(!"called with a channel of another c-ares");
    return 0;
}
#else
const char *ares_version(int *version);

const char *ares_version(int *version) {
    *version = 0x011100;
    return "1.17.0";
}
#endif

int main(void) {
    const char *servers[] = {"127.0.0.1", NULL};
    reachability_options options = REACHABILITY_OPTIONS_INIT;
    reachability_target *target;
    reachability_error error;
    unsigned int flags;

    options.name_servers = servers;
    CHECK(reachability_target_create("localhost", &options, &target, &error) == REACHABILITY_OK);
    CHECK(reachability_target_get_flags(target, &flags, NULL, &error) == REACHABILITY_OK && flags & REACHABILITY_REACHABLE);
    reachability_target_free(target);
    CHECK(reachability_target_create("host.example", &options, &target, &error) == REACHABILITY_OK);
    if (reachability_target_get_flags(target, &flags, NULL, &error) == REACHABILITY_OK) puts("not taken");
    else puts(error.message);
    reachability_target_free(target);
    return 0;
}
