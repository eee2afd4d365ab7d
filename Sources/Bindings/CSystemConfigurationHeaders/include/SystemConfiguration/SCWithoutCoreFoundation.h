/* SPDX-License-Identifier: Apache-2.0
 *
 * Lets C sources compile that call CFRetain and CFRelease on targets, in a program without CoreFoundation:
 * `cc -include SystemConfiguration/SCWithoutCoreFoundation.h …`.
 */
#ifndef SYSTEMCONFIGURATION_SCWITHOUTCOREFOUNDATION_H
#define SYSTEMCONFIGURATION_SCWITHOUTCOREFOUNDATION_H

#include <SystemConfiguration/SystemConfiguration.h>
#include <stddef.h>

#define CFRetain(target) SCNetworkReachabilityRetain((SCNetworkReachabilityRef)(target))
#define CFRelease(target) SCNetworkReachabilityRelease((SCNetworkReachabilityRef)(target))
#define kCFAllocatorDefault ((CFAllocatorRef)NULL)

#endif
