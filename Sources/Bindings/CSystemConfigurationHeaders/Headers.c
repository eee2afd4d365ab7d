/* SPDX-License-Identifier: Apache-2.0 */

/* Compiles the headers, and nothing else. */
#include <SystemConfiguration/SystemConfiguration.h>
