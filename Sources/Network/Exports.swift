// SPDX-License-Identifier: Apache-2.0

// Apple's module brings these along, and programs that import nothing else use what is in them.
@_exported public import Dispatch
@_exported public import Foundation
@_exported public import FoundationNetworking
// Apple's socket addresses begin with their own length.
@_exported public import SocketAddressLengths
