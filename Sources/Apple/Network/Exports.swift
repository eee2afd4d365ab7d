// SPDX-License-Identifier: Apache-2.0

// Apple's module exports these, too, so many sources import nothing else.
@_exported public import Dispatch
@_exported public import Foundation
@_exported public import FoundationNetworking
// Paths, interfaces and endpoints, which can also be imported without this module.
@_exported public import NetworkPathMonitor
// Apple's socket addresses have length members, and Linux's do not.
@_exported public import ReachabilitySharedDeclarations
