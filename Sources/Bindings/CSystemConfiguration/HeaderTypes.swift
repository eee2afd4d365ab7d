// SPDX-License-Identifier: Apache-2.0

import CSystemConfigurationHeaders

// Swift 6.3 has attributes with which the compiler compares a function with its declaration in a header. Swift 6.2 has
// them only for headers of the same module. So the types are compared here: this file compiles only if they are the same.

func expect<Function>(_ ours: Function, sameTypeAs declared: Function) {}

/// Never called.
private func compareWithHeaders() {
    expect(CSystemConfiguration.SCError, sameTypeAs: CSystemConfigurationHeaders.SCError)
    unsafe expect(CSystemConfiguration.SCErrorString, sameTypeAs: CSystemConfigurationHeaders.SCErrorString)
    unsafe expect(CSystemConfiguration.SCCopyLastError, sameTypeAs: CSystemConfigurationHeaders.SCCopyLastError)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilitySetCallback,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilitySetCallback)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilitySetDispatchQueue,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilitySetDispatchQueue)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityScheduleOnThread,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityScheduleOnThread)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityUnscheduleFromThread,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityUnscheduleFromThread)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityScheduleWithRunLoop,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityScheduleWithRunLoop)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityUnscheduleFromRunLoop,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityUnscheduleFromRunLoop)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityCreateWithAddress,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityCreateWithAddress)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityCreateWithAddressPair,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityCreateWithAddressPair)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityCreateWithName,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityCreateWithName)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityCreateWithOptions,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityCreateWithOptions)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityRetain,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityRetain)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityRelease,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityRelease)
    expect(
        CSystemConfiguration.SCNetworkReachabilityGetTypeID,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityGetTypeID)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityGetFlags,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityGetFlags)
    unsafe expect(
        CSystemConfiguration.SCNetworkReachabilityGetInterfaceIndex,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkReachabilityGetInterfaceIndex)
    unsafe expect(
        CSystemConfiguration.SCNetworkCheckReachabilityByAddress,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkCheckReachabilityByAddress)
    unsafe expect(
        CSystemConfiguration.SCNetworkCheckReachabilityByName,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkCheckReachabilityByName)
}
