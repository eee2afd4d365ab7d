/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces a part of Swift's runtime in static programs. Scripts/install links it; no other target uses it.
 */
#ifndef CSTATICPROGRAM_H
#define CSTATICPROGRAM_H

/* The path of a program that belongs to the runtime, to be released with free(3), or NULL (swift/Runtime/Paths.h). */
char *swift_copyAuxiliaryExecutablePath(const char *name);

#endif
