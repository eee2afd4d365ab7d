// SPDX-License-Identifier: Apache-2.0

import CSystemConfigurationHeaders

/// Compares types, as HeaderTypes.swift does, for the dynamic store and interfaces. Never called.
private func compareWithHeaders() {
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCreate, sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCreate)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCreateWithOptions,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCreateWithOptions)
    expect(
        CSystemConfiguration.SCDynamicStoreGetTypeID, sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreGetTypeID)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCopyKeyList,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCopyKeyList)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCopyValue, sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCopyValue)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCopyMultiple,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCopyMultiple)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreSetNotificationKeys,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreSetNotificationKeys)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCopyNotifiedKeys,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCopyNotifiedKeys)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCreateRunLoopSource,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCreateRunLoopSource)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreSetDispatchQueue,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreSetDispatchQueue)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreAddValue, sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreAddValue)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreAddTemporaryValue,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreAddTemporaryValue)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreSetValue, sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreSetValue)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreSetMultiple,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreSetMultiple)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreRemoveValue,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreRemoveValue)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreNotifyValue,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreNotifyValue)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreKeyCreateNetworkGlobalEntity,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreKeyCreateNetworkGlobalEntity)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreKeyCreateNetworkInterface,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreKeyCreateNetworkInterface)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreKeyCreateNetworkInterfaceEntity,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreKeyCreateNetworkInterfaceEntity)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreKeyCreateNetworkServiceEntity,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreKeyCreateNetworkServiceEntity)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreKeyCreateComputerName,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreKeyCreateComputerName)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreKeyCreateConsoleUser,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreKeyCreateConsoleUser)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreKeyCreateHostNames,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreKeyCreateHostNames)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreKeyCreateLocation,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreKeyCreateLocation)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreKeyCreateProxies,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreKeyCreateProxies)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCopyComputerName,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCopyComputerName)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCopyLocalHostName,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCopyLocalHostName)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCopyConsoleUser,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCopyConsoleUser)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCopyLocation,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCopyLocation)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCopyProxies,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCopyProxies)
    unsafe expect(
        CSystemConfiguration.SCDynamicStoreCopyDHCPInfo,
        sameTypeAs: CSystemConfigurationHeaders.SCDynamicStoreCopyDHCPInfo)
    unsafe expect(
        CSystemConfiguration.DHCPInfoGetOptionData, sameTypeAs: CSystemConfigurationHeaders.DHCPInfoGetOptionData)
    unsafe expect(
        CSystemConfiguration.DHCPInfoGetLeaseStartTime,
        sameTypeAs: CSystemConfigurationHeaders.DHCPInfoGetLeaseStartTime)
    unsafe expect(
        CSystemConfiguration.DHCPInfoGetLeaseExpirationTime,
        sameTypeAs: CSystemConfigurationHeaders.DHCPInfoGetLeaseExpirationTime)
    expect(
        CSystemConfiguration.SCNetworkInterfaceGetTypeID,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkInterfaceGetTypeID)
    unsafe expect(
        CSystemConfiguration.SCNetworkInterfaceCopyAll,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkInterfaceCopyAll)
    unsafe expect(
        CSystemConfiguration.SCNetworkInterfaceGetBSDName,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkInterfaceGetBSDName)
    unsafe expect(
        CSystemConfiguration.SCNetworkInterfaceGetInterfaceType,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkInterfaceGetInterfaceType)
    unsafe expect(
        CSystemConfiguration.SCNetworkInterfaceGetLocalizedDisplayName,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkInterfaceGetLocalizedDisplayName)
    unsafe expect(
        CSystemConfiguration.SCNetworkInterfaceGetHardwareAddressString,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkInterfaceGetHardwareAddressString)
    unsafe expect(
        CSystemConfiguration.SCNetworkInterfaceGetSupportedProtocolTypes,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkInterfaceGetSupportedProtocolTypes)
    unsafe expect(
        CSystemConfiguration.SCNetworkInterfaceGetInterface,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkInterfaceGetInterface)
    unsafe expect(
        CSystemConfiguration.SCNetworkInterfaceForceConfigurationRefresh,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkInterfaceForceConfigurationRefresh)
    unsafe expect(
        CSystemConfiguration.SCNetworkInterfaceRefreshConfiguration,
        sameTypeAs: CSystemConfigurationHeaders.SCNetworkInterfaceRefreshConfiguration)
}
