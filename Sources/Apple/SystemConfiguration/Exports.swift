// SPDX-License-Identifier: Apache-2.0

// Apple's module exports these, too, so many sources import nothing else.
@_exported public import CDispatch
@_exported public import CoreFoundation
@_exported public import Dispatch
@_exported public import Foundation
@_exported public import ReachabilitySharedDeclarations
