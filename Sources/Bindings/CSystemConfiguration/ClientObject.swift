// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem
import SystemConfigurationCore

/// What a client's pointer leads to. If the program has loaded CoreFoundation, this is one of its objects. CFRetain and
/// CFRelease work on every Swift object.
final class ClientObject: Sendable {
    /// What CoreFoundation reads. It has to be the first property.
    private let header: UInt64
    private let target: LegacyTarget

    private init(_ target: LegacyTarget) {
        header = Self.registered?.header ?? 0
        self.target = target
    }

    /// A reference that the client releases.
    static func retained(_ target: LegacyTarget) -> OpaquePointer {
        let object = ClientObject(target)
        target.belong(to: object)
        return unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// The target behind a client's pointer. Nil, with a status, if that is null or leads to another object.
    static func target(of pointer: OpaquePointer?) -> LegacyTarget? {
        guard let pointer = unsafe pointer.map(UnsafeRawPointer.init),
            unsafe RegisteredType.isObject(pointer, of: ClientObject.self)
        else { return LegacyStatus.fail(.invalidArgument) }
        return unsafe Unmanaged<ClientObject>.fromOpaque(pointer).takeUnretainedValue().target
    }

    // MARK: The type

    /// The number of the type, for CFGetTypeID. A program without CoreFoundation gets one of our own.
    static var typeNumber: UInt { registered?.number ?? 0x5343_4E52 }

    /// Nil while the program has not loaded CoreFoundation.
    private static var registered: RegisteredType? {
        known.withLock { known in
            if known == nil, let runtime = LoadedFoundation.runtime {
                known = RegisteredType("SCNetworkReachability", ClientObject.self, in: runtime)
            }
            return known
        }
    }

    private static let known = Lock<RegisteredType?>(nil)
}

extension LoadedFoundation {
    /// The functions with which it learns a type.
    fileprivate static var runtime: CoreFoundationRuntime? {
        guard
            let register = unsafe loaded(
                "_CFRuntimeRegisterClass", as: (@convention(c) (UnsafeRawPointer) -> UInt).self),
            let bridge = unsafe loaded(
                "_CFRuntimeBridgeTypeToClass", as: (@convention(c) (UInt, UnsafeRawPointer) -> Void).self)
        else { return nil }
        return CoreFoundationRuntime(
            register: { unsafe register($0) }, bridge: { unsafe bridge($0, $1) })
    }
}
