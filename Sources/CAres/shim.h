/* SPDX-License-Identifier: Apache-2.0 */

/* Functions that newer versions call deprecated are the only ones that 1.18 has. */
#define CARES_NO_DEPRECATED
#include <ares.h>
