/* SPDX-License-Identifier: Apache-2.0
 *
 * What a static program has in place of a part of Swift's runtime. Scripts/install links it; no other target uses it.
 */
#ifndef CSTATICPROGRAM_H
#define CSTATICPROGRAM_H

/* See swift/Runtime/Paths.h: where a program that belongs to the runtime is, in memory for free(3); NULL for nowhere. */
char *swift_copyAuxiliaryExecutablePath(const char *name);

#endif
