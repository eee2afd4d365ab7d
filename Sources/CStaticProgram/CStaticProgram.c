/* SPDX-License-Identifier: Apache-2.0 */

#include "CStaticProgram.h"

#include <stddef.h>

/* Before main, the runtime looks for the program that prints a crash's backtrace (BacktraceInitializer in
 * stdlib/public/runtime/Backtrace.cpp), by the path of its own library, and ends the process if it cannot find that
 * ("Unable to obtain Swift runtime path", Paths.cpp). A static program has no such library. dladdr(3) then gives its own
 * path, which it has of /proc/self/exe, and fails where there is no /proc.
 *
 * An object comes before an archive's member that defines the same function, so that member is never linked. The runtime
 * takes "nowhere" for an answer: crashes go without a backtrace, unless SWIFT_BACKTRACE says where that program is. */
char *swift_copyAuxiliaryExecutablePath(const char *name) {
    (void)name;
    return NULL;
}
