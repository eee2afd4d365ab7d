/* SPDX-License-Identifier: Apache-2.0
 *
 * Empty: Linux has no captive network assistant. Sources that merely import it compile.
 */
#ifndef SYSTEMCONFIGURATION_CAPTIVENETWORK_H
#define SYSTEMCONFIGURATION_CAPTIVENETWORK_H
#endif
