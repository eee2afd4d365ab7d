/* SPDX-License-Identifier: Apache-2.0
 *
 * Uses each function of reachability.h, rightly and wrongly, and prints "ok". Changes the routes of its network namespace,
 * which has the interface eth0 with 10.0.0.1/24.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <reachability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

static reachability_error error;

/* What a callback was told. */
struct told {
    int calls;
    unsigned int flags;
};

static void record(unsigned int flags, void *context) {
    struct told *told = context;
    told->calls++;
    told->flags = flags;
}

static void turn(reachability_watcher *watcher, const struct told *told, int calls) {
    while (told->calls < calls) {
        struct pollfd request = { -1, POLLIN, 0 };
        request.fd = reachability_watcher_descriptor(watcher);
        CHECK(poll(&request, 1, 120000) == 1);
        CHECK(reachability_watcher_process(watcher, &error) == REACHABILITY_OK);
    }
}

static reachability_target *target(const char *text, const reachability_options *options) {
    reachability_target *made;
    CHECK(reachability_target_create(text, options, &made, &error) == REACHABILITY_OK);
    return made;
}

static void refuses(const char *text, const reachability_options *options, int code, const char *words) {
    reachability_target *made = (reachability_target *)1;
    memset(&error, 0, sizeof error);
    CHECK(reachability_target_create(text, options, &made, &error) == code);
    CHECK(made == NULL && error.code == code && strstr(error.message, words) != NULL);
    CHECK(reachability_target_create(text, options, &made, NULL) == code);
}

static unsigned int flags_of(reachability_target *asked) {
    unsigned int flags = 0xFFFFFFFF;
    CHECK(reachability_target_get_flags(asked, &flags, NULL, &error) == REACHABILITY_OK);
    return flags;
}

/* Of a target that is not reachable. */
static int reason_of(reachability_target *asked) {
    unsigned int flags = 0xFFFFFFFF;
    int reason = -1;
    CHECK(reachability_target_get_flags(asked, &flags, &reason, &error) == REACHABILITY_OK && flags == 0);
    return reason;
}

static void check_targets(void) {
    struct sockaddr_in address;
    reachability_target *made;
    char *text, words[200];
    unsigned int flags;
    int reason;

    made = target("10.0.0.7", NULL);
    CHECK(flags_of(made) == (REACHABILITY_REACHABLE | REACHABILITY_IS_DIRECT));
    CHECK(reachability_target_explain(made, &text, &error) == REACHABILITY_OK);
    CHECK(strstr(text, "eth0") != NULL);
    free(text);
    CHECK(reachability_target_explain_json(made, &text, &error) == REACHABILITY_OK);
    CHECK(strstr(text, "{\"target\":\"10.0.0.7\",\"flags\":131074,") == text && strchr(text, '\n') == NULL);
    CHECK(strstr(text, "\"interface\":\"eth0\"") != NULL);
    free(text);
    reachability_target_free(made);

    CHECK(reachability_flags_to_text(0, words, sizeof words) == 13 && strcmp(words, "Not Reachable") == 0);
    CHECK(reachability_flags_to_text(REACHABILITY_REACHABLE, words, 4) == 9 && strcmp(words, "Rea") == 0);
    CHECK(reachability_flags_to_text(REACHABILITY_REACHABLE, NULL, 0) == 9);
    CHECK(reachability_flags_to_text(0xFFFFFFFF, NULL, 0) > 128);
    CHECK(reachability_flags_to_text(0xFFFFFFFF, NULL, 0) < sizeof words);
    made = target("192.0.2.77", NULL);
    CHECK(reachability_target_get_reason(made, &flags, &reason, &text, &error) == REACHABILITY_OK);
    CHECK(flags == 0 && reason == REACHABILITY_REASON_NO_ROUTE && strcmp(text, "there is no route to it") == 0);
    free(text);
    CHECK(reason_of(made) == REACHABILITY_REASON_NO_ROUTE);
    CHECK(reachability_target_get_reason(made, NULL, NULL, NULL, NULL) == REACHABILITY_OK);
    reachability_target_free(made);

    made = target("localhost", NULL);
    CHECK(flags_of(made) & REACHABILITY_IS_LOCAL_ADDRESS);
    reachability_target_free(made);

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(0x0A000001);
    CHECK(reachability_target_create_with_address(
        (struct sockaddr *)&address, sizeof address, NULL, &made, &error) == REACHABILITY_OK);
    CHECK(flags_of(made) & REACHABILITY_IS_LOCAL_ADDRESS);
    reachability_target_free(made);
    CHECK(reachability_target_create_with_address(
        (struct sockaddr *)&address, 4, NULL, &made, &error) == REACHABILITY_INVALID_TARGET);
    address.sin_family = AF_UNIX;
    CHECK(reachability_target_create_with_address(
        (struct sockaddr *)&address, sizeof address, NULL, &made, &error) == REACHABILITY_INVALID_TARGET);

    refuses("", NULL, REACHABILITY_INVALID_TARGET, "name");
    /* The words of the command line are names here. */
    refuses("10.0.0.1,10.0.0.7", NULL, REACHABILITY_INVALID_TARGET, "no IPv4 address");
    made = target("default", NULL);
    CHECK(reachability_target_explain_json(made, &text, &error) == REACHABILITY_OK);
    CHECK(strstr(text, "no_route") == NULL);
    free(text);
    reachability_target_free(made);
    CHECK(reachability_target_create_default(NULL, &made, &error) == REACHABILITY_OK);
    CHECK(reason_of(made) == REACHABILITY_REASON_NO_ROUTE);
    reachability_target_free(made);
    CHECK(reachability_target_create_pair("10.0.0.1", "10.0.0.7", NULL, &made, &error) == REACHABILITY_OK);
    CHECK(flags_of(made) == (REACHABILITY_REACHABLE | REACHABILITY_IS_DIRECT));
    reachability_target_free(made);
    CHECK(reachability_target_create_pair("10.0.0.2", "10.0.0.7", NULL, &made, &error) == REACHABILITY_OK);
    CHECK(reason_of(made) == REACHABILITY_REASON_NOT_OUR_ADDRESS);
    reachability_target_free(made);
    CHECK(reachability_target_create_pair("10.0.0.1", NULL, NULL, &made, &error) == REACHABILITY_OK);
    CHECK(flags_of(made) == (REACHABILITY_REACHABLE | REACHABILITY_IS_LOCAL_ADDRESS | REACHABILITY_IS_DIRECT));
    reachability_target_free(made);
    CHECK(reachability_target_create_pair(NULL, NULL, NULL, &made, &error) == REACHABILITY_INVALID_TARGET && made == NULL);
    CHECK(reachability_target_create_pair("10.0.0.1", "db.test", NULL, &made, &error) == REACHABILITY_INVALID_TARGET);
    reachability_target_free(NULL);
}

static void check_options(void) {
    const char *const servers[] = { "127.0.0.1:9", NULL };
    const char *const wrong_servers[] = { "nonsense", NULL };
    const unsigned int mark = 7;
    struct sockaddr_in address;
    int silent = socket(AF_INET, SOCK_DGRAM, 0);
    reachability_options options = REACHABILITY_OPTIONS_INIT;
    reachability_target *made;
    char *text;

    options.interface_name = "eth0";
    options.mark = &mark;
    made = target("10.0.0.7", &options);
    CHECK(flags_of(made) == (REACHABILITY_REACHABLE | REACHABILITY_IS_DIRECT));
    reachability_target_free(made);
    options.interface_name = "nothing:0";
    refuses("10.0.0.7", &options, REACHABILITY_NO_SUCH_INTERFACE, "nothing:0");
    options.interface_name = NULL;
    options.network_namespace = "no-such-namespace";
    refuses("10.0.0.7", &options, REACHABILITY_INVALID_OPTION, "no-such-namespace");
    options.network_namespace = "/proc/self/ns/net";
    options.source_address = "10.0.0.1";
    made = target("10.0.0.7", &options);
    CHECK(flags_of(made) == (REACHABILITY_REACHABLE | REACHABILITY_IS_DIRECT));
    reachability_target_free(made);
    options.name_servers = wrong_servers;
    refuses("db.test", &options, REACHABILITY_INVALID_OPTION, "nonsense");
    options.name_servers = servers;
    options.timeout_milliseconds = 50;
    options.source_address = NULL;
    made = target("db.test", &options);
    CHECK(reachability_target_explain(made, &text, &error) == REACHABILITY_OK);
    free(text);
    /* A name server that never answers. */
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(9);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(bind(silent, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(reason_of(made) == REACHABILITY_REASON_NO_ANSWER);
    close(silent);
    reachability_target_free(made);
    options.size = 3;
    refuses("10.0.0.7", &options, REACHABILITY_INVALID_OPTION, "REACHABILITY_OPTIONS_INIT");
    options.size = (size_t)-1;
    refuses("10.0.0.7", &options, REACHABILITY_INVALID_OPTION, "REACHABILITY_OPTIONS_INIT");
}

/* The members that the second version added. */
static void check_more_options(void) {
    const char *const servers[] = { "127.0.0.1:9", NULL };
    const reachability_options nothing = REACHABILITY_OPTIONS_INIT;
    reachability_options options = REACHABILITY_OPTIONS_INIT;
    reachability_target *made;

    CHECK(system("ip route add default via 10.0.0.254") == 0);
    CHECK(system("ip rule add ipproto udp dport 9 prohibit") == 0);
    options.transport = REACHABILITY_TRANSPORT_UDP;
    options.port = 9;
    made = target("192.0.2.1", &options);
    CHECK(flags_of(made) == 0);
    reachability_target_free(made);
    options.transport = REACHABILITY_TRANSPORT_TCP;
    made = target("192.0.2.1", &options);
    CHECK(flags_of(made) == REACHABILITY_REACHABLE);
    reachability_target_free(made);
    CHECK(system("ip rule del ipproto udp dport 9 prohibit") == 0);
    options = nothing;
    options.families = REACHABILITY_FAMILY_IPV6;
    CHECK(reachability_target_create_default(&options, &made, &error) == REACHABILITY_OK);
    CHECK(flags_of(made) == 0);
    reachability_target_free(made);
    options.families |= REACHABILITY_FAMILY_IPV4;
    options.name_servers = servers;
    options.policy = REACHABILITY_POLICY_OPTIMISTIC;
    made = target("db.test", &options);
    CHECK(flags_of(made) == REACHABILITY_REACHABLE);
    reachability_target_free(made);
    CHECK(system("ip route del default") == 0);

    options = nothing;
    options.transport = 7;
    refuses("10.0.0.7", &options, REACHABILITY_INVALID_OPTION, "transport");
    options = nothing;
    options.port = 65536;
    refuses("10.0.0.7", &options, REACHABILITY_INVALID_OPTION, "port");
    options = nothing;
    options.families = 4;
    refuses("10.0.0.7", &options, REACHABILITY_INVALID_OPTION, "families");
    options = nothing;
    options.policy = 2;
    refuses("10.0.0.7", &options, REACHABILITY_INVALID_OPTION, "policy");
    options = nothing;
    options.reserved = 1;
    refuses("10.0.0.7", &options, REACHABILITY_INVALID_OPTION, "reserved");
}

/* A program that is newer than the library. */
static void check_newer_program(void) {
    const reachability_options nothing = REACHABILITY_OPTIONS_INIT;
    const reachability_conditions any = REACHABILITY_CONDITIONS_INIT;
    struct { reachability_options options; unsigned long more; } asked;
    struct { reachability_conditions conditions; unsigned long more; } required;
    struct { reachability_path path; unsigned long more; } path;
    reachability_target *made;
    reachability_watcher *watcher;
    struct told told = { 0, 0 };

    asked.options = nothing;
    asked.options.size = sizeof asked;
    asked.more = 0;
    made = target("10.0.0.7", &asked.options);
    asked.more = 1;
    refuses("10.0.0.7", &asked.options, REACHABILITY_INVALID_OPTION, "version");

    CHECK(reachability_watcher_create(&watcher, &error) == REACHABILITY_OK);
    required.conditions = any;
    required.conditions.size = sizeof required;
    required.more = 0;
    CHECK(reachability_watcher_add_gate(watcher, made, &required.conditions, record, &told, NULL, NULL, &error)
          == REACHABILITY_OK);
    required.more = 1;
    CHECK(reachability_watcher_add_gate(watcher, made, &required.conditions, record, &told, NULL, NULL, &error)
          == REACHABILITY_INVALID_OPTION);
    required.conditions = any;
    required.conditions.reserved = 1;
    CHECK(reachability_watcher_add_gate(watcher, made, &required.conditions, record, &told, NULL, NULL, &error)
          == REACHABILITY_INVALID_OPTION);
    reachability_watcher_free(watcher);
    reachability_target_free(made);

    memset(&path, 0xFF, sizeof path);
    path.path.size = sizeof path;
    CHECK(reachability_path_get(NULL, &path.path, &error) == REACHABILITY_OK);
    CHECK(path.path.size == sizeof path.path && path.path.status == REACHABILITY_PATH_UNSATISFIED);
    CHECK(path.path.interface_name[0] == 0 && !path.path.is_expensive && !path.path.is_constrained && !path.path.has_ipv6 && path.more == 0);
}

static void check_path(void) {
    reachability_options options = REACHABILITY_OPTIONS_INIT;
    reachability_path path;
    char *text;

    memset(&path, 0xFF, sizeof path);
    /* One byte less than the first version had. */
    path.size = offsetof(reachability_path, identity) - 1;
    CHECK(reachability_path_get(NULL, &path, &error) == REACHABILITY_INVALID_OPTION);
    CHECK(reachability_path_get_json(&options, &text, &error) == REACHABILITY_OK);
    CHECK(strstr(text, "{\"status\":\"unsatisfied\",") == text && text[strlen(text) - 1] == '}');
    free(text);
    options.network_namespace = "no-such-namespace";
    text = (char *)1;
    CHECK(reachability_path_get_json(&options, &text, &error) == REACHABILITY_INVALID_OPTION);
    CHECK(text == NULL && strstr(error.message, "no-such-namespace") != NULL);
}

/* The number by which a program knows whether its connections are still worth using. */
static void check_identity(void) {
    reachability_path path = REACHABILITY_PATH_INIT;
    uint64_t before;
    char *text;
    char member[64];

    CHECK(reachability_path_get(NULL, &path, &error) == REACHABILITY_OK);
    before = path.identity;
    sprintf(member, ",\"identity\":%lu}", (unsigned long)before);
    CHECK(reachability_path_get_json(NULL, &text, &error) == REACHABILITY_OK);
    CHECK(before != 0 && strstr(text, member) != NULL);
    free(text);
    CHECK(system("ip route add default via 10.0.0.254") == 0);
    CHECK(reachability_path_get(NULL, &path, &error) == REACHABILITY_OK);
    CHECK(path.identity != before && path.identity != 0);
    CHECK(system("ip route del default") == 0);
    CHECK(reachability_path_get(NULL, &path, &error) == REACHABILITY_OK);
    CHECK(path.identity == before);
}

/* The kernel's names are bytes, neither of UTF-8 nor without a backslash. */
static void check_names(void) {
    const char name[] = "\377\\x41\344\366\374";
    reachability_options options = REACHABILITY_OPTIONS_INIT;
    reachability_target *made;
    reachability_path path = REACHABILITY_PATH_INIT;
    char text[64];
    int reason;

    options.interface_name = name;
    made = target("10.1.0.7", &options);
    CHECK(flags_of(made) == 0);
    sprintf(text, "ip link add '%s' type veth peer name peer", name);
    CHECK(system(text) == 0 && system("ip link set peer up") == 0);
    sprintf(text, "ip link set '%s' up", name);
    CHECK(system(text) == 0);
    sprintf(text, "ip address add 10.1.0.1/24 dev '%s'", name);
    CHECK(system(text) == 0);
    sprintf(text, "ip route add default dev '%s'", name);
    CHECK(system(text) == 0);
    CHECK(flags_of(made) == (REACHABILITY_REACHABLE | REACHABILITY_IS_DIRECT));
    reachability_target_free(made);
    CHECK(reachability_path_get(NULL, &path, &error) == REACHABILITY_OK && strcmp(path.interface_name, name) == 0);
    sprintf(text, "fe80::1%%%s", name);
    made = target(text, NULL);
    /* Its address may still be tentative, but the interface is found. */
    CHECK(reachability_target_get_reason(made, NULL, &reason, NULL, &error) == REACHABILITY_OK);
    CHECK(reason != REACHABILITY_REASON_INTERFACE_MISSING);
    reachability_target_free(made);
    CHECK(system("ip link del peer") == 0);
}

static void check_long_message(void) {
    /* A name of many characters of two bytes each: the message is cut between two of them. */
    char name[601];
    int i;
    size_t length;
    for (i = 0; i < 600; i += 2) memcpy(name + i, "\303\244", 2);
    name[600] = 0;
    refuses(name, NULL, REACHABILITY_INVALID_TARGET, "cannot");
    length = strlen(error.message);
    CHECK(length < sizeof error.message && length > sizeof error.message - 4);
    CHECK((unsigned char)error.message[length - 1] != 0303);
}

/* A callback that removes another target. */
struct removal {
    reachability_watcher *watcher;
    uint64_t other;
    int calls;
};

static void remove_other(unsigned int flags, void *context) {
    struct removal *removal = context;
    (void)flags;
    removal->calls++;
    reachability_watcher_remove(removal->watcher, removal->other);
    CHECK(reachability_watcher_process(removal->watcher, NULL) == REACHABILITY_OK);
}

static void free_watcher(unsigned int flags, void *context) {
    struct removal *removal = context;
    (void)flags;
    removal->calls++;
    reachability_watcher_free(removal->watcher);
}

static void check_watchers(void) {
    reachability_watcher *watcher;
    reachability_target *watched = target("192.0.2.1", NULL);
    struct told told = { 0, 0 };
    struct removal first, second;
    uint64_t identifier, removed;

    CHECK(reachability_watcher_create(&watcher, &error) == REACHABILITY_OK);
    CHECK(reachability_watcher_add(watcher, watched, record, &told, NULL, &identifier, &error) == REACHABILITY_OK);
    /* The watcher keeps it. */
    reachability_target_free(watched);
    turn(watcher, &told, 1);
    CHECK(told.flags == 0);
    CHECK(system("ip route add default via 10.0.0.254") == 0);
    turn(watcher, &told, 2);
    CHECK(told.flags == REACHABILITY_REACHABLE);
    CHECK(reachability_watcher_remove(watcher, identifier) == REACHABILITY_OK);
    CHECK(reachability_watcher_remove(watcher, identifier) == REACHABILITY_CLOSED);
    CHECK(reachability_watcher_remove(watcher, (uint64_t)-1) == REACHABILITY_CLOSED);

    /* Whichever is called first removes the other. */
    watched = target("192.0.2.1", NULL);
    first.watcher = second.watcher = watcher;
    first.calls = second.calls = 0;
    CHECK(reachability_watcher_add(watcher, watched, remove_other, &first, NULL, &second.other, &error) == REACHABILITY_OK);
    CHECK(reachability_watcher_add(watcher, watched, remove_other, &second, NULL, &first.other, NULL) == REACHABILITY_OK);
    told.calls = 0;
    CHECK(reachability_watcher_add(watcher, watched, record, &told, NULL, &removed, &error) == REACHABILITY_OK);
    turn(watcher, &told, 1);
    CHECK(first.calls + second.calls == 1);

    /* Both are due, and whichever is called first frees the watcher. */
    first.calls = second.calls = 0;
    CHECK(reachability_watcher_add(watcher, watched, free_watcher, &first, NULL, NULL, &error) == REACHABILITY_OK);
    CHECK(reachability_watcher_add(watcher, watched, free_watcher, &second, NULL, NULL, &error) == REACHABILITY_OK);
    reachability_target_free(watched);
    while (first.calls + second.calls == 0) {
        struct pollfd request = { -1, POLLIN, 0 };
        request.fd = reachability_watcher_descriptor(watcher);
        CHECK(poll(&request, 1, 120000) == 1);
        CHECK(reachability_watcher_process(watcher, &error) == REACHABILITY_OK);
    }
    CHECK(first.calls + second.calls == 1);
    reachability_watcher_free(NULL);
}

/* What has become of a context. */
struct context {
    reachability_watcher *watcher;
    uint64_t identifier;
    int calls, is_running, freed;
};

static void free_context(void *given) {
    struct context *context = given;
    CHECK(!context->is_running);
    context->freed++;
}

/* For an object that owns the watcher, as C++ programs have it. */
static void free_context_and_watcher(void *given) {
    struct context *context = given;
    free_context(context);
    reachability_watcher_free(context->watcher);
}

static void remove_itself(unsigned int flags, void *given) {
    struct context *context = given;
    (void)flags;
    context->calls++;
    context->is_running = 1;
    CHECK(reachability_watcher_remove(context->watcher, context->identifier) == REACHABILITY_OK);
    CHECK(context->freed == 0);
    context->is_running = 0;
}

static void ignore_path(const reachability_path *path, void *context) {
    (void)path;
    (void)context;
}

/* A context is released once: by the end of what was added, or if that cannot be added. */
static void check_contexts(void) {
    reachability_conditions conditions = REACHABILITY_CONDITIONS_INIT;
    reachability_options options = REACHABILITY_OPTIONS_INIT;
    reachability_target *watched = target("192.0.2.1", NULL);
    struct context context = { NULL, 0, 0, 0, 0 }, freed = { NULL, 0, 0, 0, 0 };
    reachability_watcher *watcher;

    CHECK(reachability_watcher_create(&watcher, &error) == REACHABILITY_OK);
    context.watcher = watcher;
    CHECK(reachability_watcher_add(
        watcher, watched, remove_itself, &context, free_context, &context.identifier, &error) == REACHABILITY_OK);
    while (context.calls == 0) {
        CHECK(context.freed == 0);
        CHECK(reachability_watcher_process(watcher, &error) == REACHABILITY_OK);
    }
    CHECK(context.freed == 1);
    CHECK(reachability_watcher_add(
        watcher, watched, record, &context, free_context, &context.identifier, &error) == REACHABILITY_OK);
    CHECK(reachability_watcher_remove(watcher, context.identifier) == REACHABILITY_OK && context.freed == 2);

    conditions.reserved = options.reserved = 1;
    CHECK(reachability_watcher_add_gate(watcher, watched, &conditions, record, &context, free_context, NULL, &error)
          == REACHABILITY_INVALID_OPTION);
    CHECK(context.freed == 3);
    CHECK(reachability_watcher_add_path(watcher, &options, ignore_path, &context, free_context, NULL, &error)
          == REACHABILITY_INVALID_OPTION);
    CHECK(context.freed == 4);

    CHECK(reachability_watcher_add(watcher, watched, record, &freed, free_context, NULL, &error) == REACHABILITY_OK);
    CHECK(reachability_watcher_add_gate(watcher, watched, NULL, record, &freed, free_context, NULL, &error)
          == REACHABILITY_OK);
    CHECK(reachability_watcher_add_path(watcher, NULL, ignore_path, &freed, free_context, NULL, &error)
          == REACHABILITY_OK);
    CHECK(freed.freed == 0);
    reachability_watcher_free(watcher);
    CHECK(freed.freed == 3 && context.freed == 4);

    CHECK(reachability_watcher_create(&context.watcher, &error) == REACHABILITY_OK);
    CHECK(reachability_watcher_add(context.watcher, watched, record, &context, free_context_and_watcher, &context.identifier, &error)
          == REACHABILITY_OK);
    reachability_target_free(watched);
    CHECK(reachability_watcher_remove(context.watcher, context.identifier) == REACHABILITY_OK && context.freed == 5);
}

static void note_state(const reachability_socket_state *state, void *context) {
    struct told *told = context;
    told->calls++;
    told->flags = (unsigned int)(state->fate * 100 + state->reason);
}

/* Has the default route of check_watchers, and deletes it. */
static void check_connections(void) {
    reachability_socket *made = (reachability_socket *)1;
    struct { reachability_socket_state state; unsigned long more; } newer;
    reachability_socket_state state = REACHABILITY_SOCKET_STATE_INIT;
    reachability_watcher *watcher;
    struct sockaddr_in address;
    struct told told = { 0, 0 };
    uint64_t identifier;
    int udp = socket(AF_INET, SOCK_DGRAM, 0);

    CHECK(reachability_socket_create(udp, &made, &error) == REACHABILITY_INVALID_SOCKET);
    CHECK(made == NULL && strstr(error.message, "not connected") != NULL);
    CHECK(reachability_socket_create(-1, &made, NULL) == REACHABILITY_INVALID_SOCKET);
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(9);
    address.sin_addr.s_addr = htonl(0xC0000201);
    CHECK(connect(udp, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(reachability_socket_create(udp, &made, &error) == REACHABILITY_OK);
    CHECK(reachability_socket_get_state(made, &state, &error) == REACHABILITY_OK);
    memset(&state, 0xFF, sizeof state);
    state.size = sizeof state - 1;
    CHECK(reachability_socket_get_state(made, &state, &error) == REACHABILITY_INVALID_OPTION);
    state.size = sizeof state;
    CHECK(reachability_socket_get_state(made, &state, &error) == REACHABILITY_OK);
    CHECK(state.fate == REACHABILITY_SOCKET_VIABLE && state.reason == 0 && state.better_interface_name[0] == 0);
    /* A program that is newer than the library. */
    memset(&newer, 0xFF, sizeof newer);
    newer.state.size = sizeof newer;
    CHECK(reachability_socket_get_state(made, &newer.state, &error) == REACHABILITY_OK);
    CHECK(newer.state.size == sizeof state && newer.state.fate == REACHABILITY_SOCKET_VIABLE && newer.more == 0);

    CHECK(reachability_watcher_create(&watcher, &error) == REACHABILITY_OK);
    CHECK(reachability_watcher_add_socket(watcher, made, note_state, &told, NULL, &identifier, &error)
          == REACHABILITY_OK);
    /* The watcher keeps it. */
    reachability_socket_free(made);
    turn(watcher, &told, 1);
    CHECK(told.flags == 0);
    CHECK(system("ip route del default") == 0);
    turn(watcher, &told, 2);
    CHECK(told.flags == REACHABILITY_SOCKET_UNVIABLE * 100 + REACHABILITY_SOCKET_NO_ROUTE);
    close(udp);
    CHECK(system("ip route add default via 10.0.0.254") == 0);
    turn(watcher, &told, 3);
    CHECK(told.flags == REACHABILITY_SOCKET_DEAD * 100 + REACHABILITY_SOCKET_CLOSED);
    CHECK(reachability_watcher_remove(watcher, identifier) == REACHABILITY_OK);
    reachability_watcher_free(watcher);
    reachability_socket_free(NULL);
}

static void check_gates(void) {
    reachability_conditions conditions = REACHABILITY_CONDITIONS_INIT;
    reachability_target *watched = target("192.0.2.1", NULL);
    reachability_watcher *watcher;
    struct told told = { 0, 0 }, plain = { 0, 0 };
    uint64_t identifier;

    conditions.not_expensive = conditions.not_constrained = 1;
    conditions.required_kind = REACHABILITY_KIND_WIRED;
    conditions.prohibited_kinds = REACHABILITY_KIND_WIFI;
    conditions.stable_milliseconds = 20;
    CHECK(reachability_watcher_create(&watcher, &error) == REACHABILITY_OK);
    CHECK(reachability_watcher_add_gate(watcher, watched, &conditions, record, &told, NULL, &identifier, &error)
          == REACHABILITY_OK);
    CHECK(reachability_watcher_add_gate(watcher, watched, NULL, record, &plain, NULL, NULL, &error) == REACHABILITY_OK);
    do turn(watcher, &told, told.calls + 1);
    while (told.flags != 0);
    CHECK(plain.flags == 0);
    CHECK(system("ip route del default") == 0);
    do turn(watcher, &told, told.calls + 1);
    while (told.flags != REACHABILITY_OBSTACLE_UNREACHABLE);
    CHECK(reachability_watcher_remove(watcher, identifier) == REACHABILITY_OK);
    conditions.required_kind = REACHABILITY_KIND_WIRED | REACHABILITY_KIND_WIFI;
    CHECK(reachability_watcher_add_gate(watcher, watched, &conditions, record, &told, NULL, NULL, &error)
          == REACHABILITY_INVALID_OPTION);
    conditions.required_kind = 0;
    conditions.size = 3;
    CHECK(reachability_watcher_add_gate(watcher, watched, &conditions, record, &told, NULL, NULL, &error)
          == REACHABILITY_INVALID_OPTION);
    reachability_target_free(watched);
    reachability_watcher_free(watcher);
}

int main(void) {
    CHECK(reachability_version()[0] >= '0' && reachability_version()[0] <= '9');
    check_targets();
    check_options();
    check_more_options();
    check_newer_program();
    check_path();
    check_identity();
    check_names();
    check_long_message();
    check_watchers();
    check_contexts();
    check_connections();
    check_gates();
    puts("ok");
    return 0;
}
