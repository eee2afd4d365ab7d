/* SPDX-License-Identifier: Apache-2.0 */

#include <stddef.h>

/* environ(7). clearenv(3) makes it NULL. */
extern char **environ;

/* A constructor of Swift's runtime goes through the environment, and expects that there is one (EnvironmentVariables.cpp in
 * stdlib/public/runtime). This constructor comes first: 101 is the earliest priority that is not the compiler's own. It can
 * do so only in a library that contains the runtime, as the installed ones do. The libraries that a library needs have run
 * their constructors before. */
__attribute__((constructor(101))) static void have_environment(void) {
    static char *empty[] = {NULL};
    if (!environ) environ = empty;
}
