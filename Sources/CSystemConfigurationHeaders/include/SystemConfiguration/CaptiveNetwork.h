/* SPDX-License-Identifier: Apache-2.0
 *
 * Empty, for sources that include it: Linux has no captive network assistant.
 */
#ifndef SYSTEMCONFIGURATION_CAPTIVENETWORK_H
#define SYSTEMCONFIGURATION_CAPTIVENETWORK_H
#endif
