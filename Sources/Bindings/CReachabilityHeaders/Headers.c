/* SPDX-License-Identifier: Apache-2.0 */

/* Checks that the header compiles by itself. The functions are written in Swift. */
#include "reachability.h"
