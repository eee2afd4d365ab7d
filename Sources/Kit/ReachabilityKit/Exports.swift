// SPDX-License-Identifier: Apache-2.0

/// References, and the flags, errors and paths that they return, are part of this module's interface.
@_exported public import ReachabilityReferences
@_exported public import ReachabilityRoutes
