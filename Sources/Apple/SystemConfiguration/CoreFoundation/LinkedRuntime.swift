// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import SystemConfigurationCore

// The functions of CoreFoundation that its module does not declare. They are of C, and take one word for each argument, as
// Swift's functions do.

@_silgen_name("_CFRuntimeRegisterClass")
private func registerClass(_ description: UnsafeRawPointer) -> CFTypeID

@_silgen_name("_CFRuntimeBridgeTypeToClass")
private func bridgeType(_ type: CFTypeID, _ metatype: UnsafeRawPointer)

extension CoreFoundationRuntime {
    /// That of the CoreFoundation that this module is linked to.
    static let linked = CoreFoundationRuntime(
        register: { unsafe registerClass($0) }, bridge: { unsafe bridgeType($0, $1) })
}

/// Whether a client's object is of the class that it passes for. If not (a cast such as `unsafeBitCast` does not look), this
/// stores a status, as Apple's functions do.
func isGenuine(_ object: AnyObject, _ type: RegisteredType) -> Bool {
    type.isClass(of: object) || LegacyStatus.fail(.invalidArgument)
}

/// The result of functions that would change the system: they fail as for a process without privileges on Apple's systems.
func refused() -> Bool { LegacyStatus.fail(.accessError) }
