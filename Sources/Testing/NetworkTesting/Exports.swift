// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
@_exported public import ReachabilityTestMachines
#endif
