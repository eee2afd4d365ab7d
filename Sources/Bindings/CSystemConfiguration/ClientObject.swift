// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import SystemConfigurationCore

/// What a client's pointer leads to. If the program has loaded CoreFoundation, this is one of its objects. CFRetain and
/// CFRelease work on every Swift object.
final class ClientObject<Content: ClientContent>: Sendable {
    /// What CoreFoundation reads. It has to be the first property.
    private let header: UInt64
    let content: Content

    private init(_ content: Content) {
        header = Content.type.registered(ClientObject.self)?.header ?? 0
        self.content = content
    }

    /// A reference that the client releases.
    static func retained(_ content: Content) -> UnsafeMutableRawPointer {
        let object = ClientObject(content)
        content.belong(to: object)
        return unsafe Unmanaged.passRetained(object).toOpaque()
    }

    /// What is behind a client's pointer. Nil, with a status, if that leads to another object, or if it is null: then the
    /// status is the one given.
    static func content(
        of pointer: OpaquePointer?, otherwise status: LegacyStatus = .invalidArgument
    ) -> Content? {
        guard let pointer = unsafe pointer.map(UnsafeRawPointer.init) else { return LegacyStatus.fail(status) }
        guard unsafe RegisteredType.isObject(pointer, of: ClientObject.self) else {
            return LegacyStatus.fail(.invalidArgument)
        }
        return unsafe Unmanaged<ClientObject>.fromOpaque(pointer).takeUnretainedValue().content
    }

    /// The number of the type, for CFGetTypeID.
    static var typeNumber: UInt { Content.type.registered(ClientObject.self)?.number ?? Content.type.substitute }
}

/// What a client's object contains.
protocol ClientContent: AnyObject, Sendable {
    static var type: ClientType { get }

    func belong(to owner: AnyObject)
}

/// A type for the CoreFoundation that the program has loaded.
@safe
final class ClientType: Sendable {
    /// The number in a program without CoreFoundation.
    let substitute: UInt
    private let name: StaticString
    private let equal: RegisteredType.Equal?
    private let hash: RegisteredType.Hash?
    private let known = Lock<RegisteredType?>(nil)

    @safe
    init(
        _ name: StaticString, substitute: UInt, equal: RegisteredType.Equal? = nil, hash: RegisteredType.Hash? = nil
    ) {
        self.name = name
        self.substitute = substitute
        unsafe self.equal = equal
        unsafe self.hash = hash
    }

    /// Nil while the program has not loaded CoreFoundation.
    func registered(_ type: AnyClass) -> RegisteredType? {
        known.withLock { known in
            if known == nil, let runtime = LoadedFoundation.runtime {
                known = RegisteredType(name, type, in: runtime, equal: unsafe equal, hash: unsafe hash)
            }
            return known
        }
    }
}

extension LegacyTarget: ClientContent {
    static let type = ClientType("SCNetworkReachability", substitute: 0x5343_4E52)
}

extension StoreSession: ClientContent {
    static let type = ClientType("SCDynamicStore", substitute: 0x5343_4453)
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

extension ContextBox {
    /// Retains the `info` of a client's context. A null `info` is passed on too, as configd does.
    convenience init(
        retaining given: UnsafeMutableRawPointer?, retain: (@convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer?)?,
        release: (@convention(c) (UnsafeRawPointer?) -> Void)?
    ) {
        var info = unsafe given
        if let retain = unsafe retain { unsafe info = UnsafeMutableRawPointer(mutating: retain(info)) }
        unsafe self.init(info: info) { unsafe release?($0) }
    }
}
