/* SPDX-License-Identifier: Apache-2.0
 *
 * A host that loads the installed library LIBRARY by itself, in ways in which programs do, and prints "ok":
 *
 *     guest cleared LIBRARY   after clearenv(3)
 *     guest unloaded LIBRARY  again and again, with an unload while the library may still have a thread
 */
#define _GNU_SOURCE 1
#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void *function(void *library, const char *name) {
    void *found = dlsym(library, name);
    CHECK(found);
    return found;
}

/* libreachability answers. */
static void ask(void *library) {
    int (*create)(const char *, const void *, void **, void *) = function(library, "reachability_target_create");
    int (*get_flags)(void *, unsigned int *, int *, void *) = function(library, "reachability_target_get_flags");
    void (*release)(void *) = function(library, "reachability_target_free");
    void *target;
    unsigned int flags;
    CHECK(create("127.0.0.1", NULL, &target, NULL) == 0);
    CHECK(get_flags(target, &flags, NULL, NULL) == 0 && flags & 2);
    release(target);
}

int main(int count, char **arguments) {
    void *library = NULL;
    int i;

    CHECK(count == 3);
    if (strcmp(arguments[1], "cleared") == 0) {
        CHECK(clearenv() == 0);
        CHECK((library = dlopen(arguments[2], RTLD_NOW)));
        if (dlsym(library, "reachability_version")) ask(library);
    } else {
        for (i = 0; i < 20; i++) {
            CHECK((library = dlopen(arguments[2], RTLD_NOW)));
            if (dlsym(library, "reachability_version")) ask(library);
            CHECK(dlclose(library) == 0);
            /* A thread that the library has started may be in its code at any time, so that has to stay. */
            CHECK((library = dlopen(arguments[2], RTLD_NOW | RTLD_NOLOAD)));
            CHECK(dlclose(library) == 0);
        }
    }
    puts("ok");
    return 0;
}
