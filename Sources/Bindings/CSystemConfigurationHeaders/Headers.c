/* SPDX-License-Identifier: Apache-2.0 */

/* This file only compiles the headers. */
#include <SystemConfiguration/SystemConfiguration.h>
