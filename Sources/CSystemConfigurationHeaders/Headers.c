/* SPDX-License-Identifier: Apache-2.0 */

/* Nothing is compiled here but the headers themselves. */
#include <SystemConfiguration/SystemConfiguration.h>
