/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls the functions of reachability.h on stacks of the sizes that the header names, with a page below that ends the program
 * if one is too small. The number of KiB can be given instead: stack FLAGS OTHERS. Prints "ok".
 */
#define _GNU_SOURCE 1
#include <reachability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "check.h"

static ucontext_t caller;

static void on_flags(unsigned int flags, void *context) { *(unsigned int *)context = flags; }
static void on_path(const reachability_path *path, void *context) { *(int *)context = path->status; }

static void ask_flags(void) {
    reachability_target *target;
    unsigned int flags;
    CHECK(reachability_target_create("127.0.0.1", NULL, &target, NULL) == REACHABILITY_OK);
    CHECK(reachability_target_get_flags(target, &flags, NULL, NULL) == REACHABILITY_OK && flags & REACHABILITY_REACHABLE);
    reachability_target_free(target);
}

static void ask_all(void) {
    static const char *const targets[] = {"127.0.0.1", "::1", NULL, "localhost", "host.example"};
    static const char *const servers[] = {"127.0.0.1", NULL};
    reachability_options options = REACHABILITY_OPTIONS_INIT;
    reachability_path path = REACHABILITY_PATH_INIT;
    reachability_watcher *watcher;
    unsigned int flags;
    char *text;
    size_t i;

    options.name_servers = servers;
    options.timeout_milliseconds = 100;
    CHECK(reachability_watcher_create(&watcher, NULL) == REACHABILITY_OK);
    CHECK(reachability_watcher_add_path(watcher, NULL, on_path, &path.status, NULL, NULL, NULL) == REACHABILITY_OK);
    for (i = 0; i < sizeof targets / sizeof *targets; i++) {
        reachability_target *target;
        if (targets[i])
            CHECK(reachability_target_create(targets[i], &options, &target, NULL) == REACHABILITY_OK);
        else
            CHECK(reachability_target_create_default(&options, &target, NULL) == REACHABILITY_OK);
        CHECK(reachability_target_get_flags(target, &flags, NULL, NULL) == REACHABILITY_OK);
        CHECK(reachability_target_explain(target, &text, NULL) == REACHABILITY_OK);
        free(text);
        CHECK(reachability_target_explain_json(target, &text, NULL) == REACHABILITY_OK);
        free(text);
        CHECK(reachability_watcher_add(watcher, target, on_flags, &flags, NULL, NULL, NULL) == REACHABILITY_OK);
        CHECK(reachability_watcher_process(watcher, NULL) == REACHABILITY_OK);
        reachability_target_free(target);
    }
    CHECK(reachability_path_get(NULL, &path, NULL) == REACHABILITY_OK);
    CHECK(reachability_path_get_json(NULL, &text, NULL) == REACHABILITY_OK);
    free(text);
    reachability_watcher_free(watcher);
}

/* Twice, because the first call of a process does more. */
static void run(void (*calls)(void), size_t kibibytes) {
    const size_t page = 4096, size = kibibytes << 10;
    int i;
    for (i = 0; i < 2; i++) {
        ucontext_t context;
        char *stack = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(stack != MAP_FAILED && mprotect(stack, page, PROT_NONE) == 0);
        CHECK(getcontext(&context) == 0);
        context.uc_stack.ss_sp = stack + page;
        context.uc_stack.ss_size = size;
        context.uc_link = &caller;
        makecontext(&context, calls, 0);
        CHECK(swapcontext(&caller, &context) == 0);
        CHECK(munmap(stack, page + size) == 0);
    }
}

int main(int count, char **arguments) {
    run(ask_flags, count > 1 ? strtoul(arguments[1], NULL, 10) : 32);
    run(ask_all, count > 2 ? strtoul(arguments[2], NULL, 10) : 64);
    puts("ok");
    return 0;
}
