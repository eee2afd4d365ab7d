// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import SystemConfigurationCore

// Functions of CoreFoundation that its module does not declare. They are C functions whose arguments take one word each, so they
// are called like Swift functions.

@_silgen_name("_CFRuntimeRegisterClass")
private func registerClass(_ description: UnsafeRawPointer) -> CFTypeID

@_silgen_name("_CFRuntimeBridgeTypeToClass")
private func bridgeType(_ type: CFTypeID, _ metatype: UnsafeRawPointer)

extension CoreFoundationRuntime {
    /// The runtime of the CoreFoundation that this module is linked to.
    static let linked = CoreFoundationRuntime(
        register: { unsafe registerClass($0) }, bridge: { unsafe bridgeType($0, $1) })
}

/// Whether a client's object really has its declared class; casts such as `unsafeBitCast` do not check. If not, this stores a
/// status, as Apple's functions do.
func isGenuine(_ object: AnyObject, _ type: RegisteredType) -> Bool {
    type.isClass(of: object) || LegacyStatus.fail(.invalidArgument)
}

/// The result of functions that would change the system. They fail, as they do on Apple's systems for a process without
/// privileges.
func refused() -> Bool { LegacyStatus.fail(.accessError) }
