/* SPDX-License-Identifier: Apache-2.0
 *
 * Only for sources that include it: Linux has no preferences of this kind, and this library no functions for them.
 */
#ifndef SYSTEMCONFIGURATION_SCPREFERENCES_H
#define SYSTEMCONFIGURATION_SCPREFERENCES_H

#include <SystemConfiguration/SCBase.h>
#include <SystemConfiguration/SCDynamicStore.h>

#endif
