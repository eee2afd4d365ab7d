/* SPDX-License-Identifier: Apache-2.0 */

#include "CStaticProgram.h"

#include <stddef.h>

/* Before main, Swift's runtime looks for the program that prints the backtrace of a crash (BacktraceInitializer in
 * stdlib/public/runtime/Backtrace.cpp). It searches relative to the path of its own library, and ends the process if it does
 * not know that path ("Unable to obtain Swift runtime path", Paths.cpp). A static program has no such library: dladdr(3)
 * returns the path of the program, which it reads from /proc/self/exe, and fails if there is no /proc.
 *
 * The linker prefers this object to the archive member that defines the same function. The runtime accepts NULL: a crash
 * then prints no backtrace unless SWIFT_BACKTRACE names the program. */
char *swift_copyAuxiliaryExecutablePath(const char *name) {
    (void)name;
    return NULL;
}
