// SPDX-License-Identifier: Apache-2.0

import CSystemConfigurationHeaders

/// Compares types, as HeaderTypes.swift does, for preferences. Never called.
private func compareWithHeaders() {
    expect(CSystemConfiguration.SCPreferencesGetTypeID, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesGetTypeID)
    unsafe expect(CSystemConfiguration.SCPreferencesCreate, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesCreate)
    unsafe expect(
        CSystemConfiguration.SCPreferencesCopyKeyList, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesCopyKeyList)
    unsafe expect(
        CSystemConfiguration.SCPreferencesGetValue, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesGetValue)
    unsafe expect(
        CSystemConfiguration.SCPreferencesGetSignature,
        sameTypeAs: CSystemConfigurationHeaders.SCPreferencesGetSignature)
    unsafe expect(
        CSystemConfiguration.SCPreferencesSynchronize, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesSynchronize)
    unsafe expect(
        CSystemConfiguration.SCPreferencesSetCallback, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesSetCallback)
    unsafe expect(
        CSystemConfiguration.SCPreferencesScheduleWithRunLoop,
        sameTypeAs: CSystemConfigurationHeaders.SCPreferencesScheduleWithRunLoop)
    unsafe expect(
        CSystemConfiguration.SCPreferencesUnscheduleFromRunLoop,
        sameTypeAs: CSystemConfigurationHeaders.SCPreferencesUnscheduleFromRunLoop)
    unsafe expect(
        CSystemConfiguration.SCPreferencesSetDispatchQueue,
        sameTypeAs: CSystemConfigurationHeaders.SCPreferencesSetDispatchQueue)
    unsafe expect(CSystemConfiguration.SCPreferencesLock, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesLock)
    unsafe expect(CSystemConfiguration.SCPreferencesUnlock, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesUnlock)
    unsafe expect(
        CSystemConfiguration.SCPreferencesCommitChanges,
        sameTypeAs: CSystemConfigurationHeaders.SCPreferencesCommitChanges)
    unsafe expect(
        CSystemConfiguration.SCPreferencesApplyChanges,
        sameTypeAs: CSystemConfigurationHeaders.SCPreferencesApplyChanges)
    unsafe expect(
        CSystemConfiguration.SCPreferencesAddValue, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesAddValue)
    unsafe expect(
        CSystemConfiguration.SCPreferencesSetValue, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesSetValue)
    unsafe expect(
        CSystemConfiguration.SCPreferencesRemoveValue, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesRemoveValue)
    unsafe expect(
        CSystemConfiguration.SCPreferencesPathGetValue,
        sameTypeAs: CSystemConfigurationHeaders.SCPreferencesPathGetValue)
    unsafe expect(
        CSystemConfiguration.SCPreferencesPathCreateUniqueChild,
        sameTypeAs: CSystemConfigurationHeaders.SCPreferencesPathCreateUniqueChild)
    unsafe expect(
        CSystemConfiguration.SCPreferencesPathSetValue,
        sameTypeAs: CSystemConfigurationHeaders.SCPreferencesPathSetValue)
    unsafe expect(
        CSystemConfiguration.SCPreferencesPathSetLink, sameTypeAs: CSystemConfigurationHeaders.SCPreferencesPathSetLink)
    unsafe expect(
        CSystemConfiguration.SCPreferencesPathRemoveValue,
        sameTypeAs: CSystemConfigurationHeaders.SCPreferencesPathRemoveValue)
}
