/* SPDX-License-Identifier: Apache-2.0 */

/* Checks that the headers compile by themselves. The functions are written in Swift. */
#include <Network/Network.h>
