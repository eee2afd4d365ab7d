// SPDX-License-Identifier: Apache-2.0

/// Flags, errors and paths are part of this module's interface.
@_exported public import ReachabilityRoutes
