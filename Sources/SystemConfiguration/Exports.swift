// SPDX-License-Identifier: Apache-2.0

// On Apple's systems `import SystemConfiguration` brings all of these along, and many sources import nothing else.
@_exported public import CDispatch
@_exported public import CoreFoundation
@_exported public import Dispatch
@_exported public import Foundation
@_exported public import Glibc
@_exported public import SocketAddressLengths
