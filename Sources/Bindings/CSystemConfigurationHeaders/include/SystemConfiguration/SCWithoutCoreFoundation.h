/* SPDX-License-Identifier: Apache-2.0
 *
 * For C sources that release targets with CFRelease, in a program without CoreFoundation:
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
