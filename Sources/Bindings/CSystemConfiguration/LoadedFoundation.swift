// SPDX-License-Identifier: Apache-2.0

import SystemConfigurationCore

/// The functions of the CoreFoundation that the program has loaded.
@safe
struct LoadedFoundation: @unchecked Sendable {
    private typealias Object = UnsafeMutableRawPointer

    private let retain: @convention(c) (Object) -> Object
    private let release: @convention(c) (Object) -> Void
    private let equal: @convention(c) (Object, Object) -> Bool

    /// Nil while the program has not loaded CoreFoundation.
    static var shared: LoadedFoundation? { LoadedFoundation() }

    private init?() {
        guard let retain = unsafe loaded("CFRetain", as: (@convention(c) (Object) -> Object).self),
            let release = unsafe loaded("CFRelease", as: (@convention(c) (Object) -> Void).self),
            let equal = unsafe loaded("CFEqual", as: (@convention(c) (Object, Object) -> Bool).self)
        else { return nil }
        unsafe self.retain = retain
        unsafe self.release = release
        unsafe self.equal = equal
    }

    /// Takes over a reference.
    func adopt(_ pointer: UnsafeMutableRawPointer) -> CoreObject {
        let foundation = self
        return unsafe CoreObject(pointer) { unsafe foundation.release($0) }
    }

    /// Retains the object.
    func hold(_ pointer: UnsafeMutableRawPointer) -> CoreObject {
        unsafe adopt(retain(pointer))
    }

    /// The object, retained once more.
    func retained(_ object: CoreObject) -> UnsafeMutableRawPointer { unsafe retain(object.pointer) }

    func isEqual(_ left: CoreObject, _ right: CoreObject) -> Bool {
        unsafe equal(left.pointer, right.pointer)
    }

    func string(_ text: String) -> CoreObject? {
        let create = unsafe loaded(
            "CFStringCreateWithCString",
            as: (@convention(c) (Object?, UnsafePointer<CChar>, UInt32) -> Object?).self)
        // kCFStringEncodingUTF8
        return unsafe text.withCString { unsafe create?(nil, $0, 0x0800_0100) }.map { unsafe adopt($0) }
    }

    /// An error for a status, owned by the caller.
    func error(_ status: LegacyStatus) -> OpaquePointer? {
        let create = unsafe loaded(
            "CFErrorCreate", as: (@convention(c) (Object?, Object, Int, Object?) -> Object?).self)
        let domain = string(status.isErrno ? "NSPOSIXErrorDomain" : "com.apple.SystemConfiguration")
        guard let create = unsafe create, let domain else { return nil }
        return unsafe create(nil, domain.pointer, Int(status.rawValue), nil).map { OpaquePointer($0) }
    }
}

extension LegacyOptions {
    /// Reads a CoreFoundation dictionary. Nil if a value is of the wrong type, or requests something that is not
    /// offered on Linux.
    init?(_ dictionary: UnsafeRawPointer) {
        guard let reader = unsafe DictionaryReader(dictionary) else { return nil }
        self.init()
        guard unsafe reader.value("ptr-address") == nil, let bypass = reader.boolean("ResolverBypass"),
            reader.boolean("ConnectionOnDemandBypass") != nil, reader.boolean("ServerBypass") != nil,
            let name = reader.string("nodename"), let interface = reader.string("interface"),
            let local = reader.data("local-address"), let remote = reader.data("remote-address")
        else { return nil }
        bypassesResolver = bypass ?? false
        self.name = name
        self.interface = interface
        localAddress = local
        remoteAddress = remote
    }
}

/// Each reading function returns nil if the value is of another type, and an inner nil if there is no value.
@safe
struct DictionaryReader {
    private typealias Object = UnsafeMutableRawPointer
    private typealias TypeNumber = @convention(c) () -> UInt

    private let dictionary: UnsafeRawPointer
    private let foundation: LoadedFoundation
    private let typeOf: @convention(c) (Object) -> UInt
    private let get: @convention(c) (UnsafeRawPointer, Object) -> Object?

    init?(_ dictionary: UnsafeRawPointer) {
        guard let foundation = LoadedFoundation.shared,
            let typeOf = unsafe loaded("CFGetTypeID", as: (@convention(c) (Object) -> UInt).self),
            let get = unsafe loaded(
                "CFDictionaryGetValue", as: (@convention(c) (UnsafeRawPointer, Object) -> Object?).self),
            let dictionaryType = loaded("CFDictionaryGetTypeID", as: TypeNumber.self),
            unsafe typeOf(Object(mutating: dictionary)) == dictionaryType()
        else { return nil }
        unsafe self.dictionary = dictionary
        self.foundation = foundation
        unsafe self.typeOf = typeOf
        unsafe self.get = get
    }

    func value(_ key: String) -> UnsafeMutableRawPointer? {
        unsafe foundation.string(key).flatMap { unsafe get(dictionary, $0.pointer) }
    }

    private func value(_ key: String, _ type: String) -> UnsafeMutableRawPointer?? {
        guard let value = unsafe value(key) else { return unsafe .some(nil) }
        guard let number = loaded(type, as: TypeNumber.self), unsafe typeOf(value) == number() else {
            return nil
        }
        return unsafe value
    }

    func boolean(_ key: String) -> Bool?? {
        guard let value = unsafe value(key, "CFBooleanGetTypeID") else { return nil }
        let read = unsafe loaded("CFBooleanGetValue", as: (@convention(c) (Object) -> Bool).self)
        guard let value = unsafe value, let read = unsafe read else { return .some(nil) }
        return unsafe read(value)
    }

    func string(_ key: String) -> String?? {
        guard let value = unsafe value(key, "CFStringGetTypeID") else { return nil }
        let read = unsafe loaded(
            "CFStringGetCString", as: (@convention(c) (Object, UnsafeMutablePointer<CChar>, Int, UInt32) -> Bool).self)
        guard let value = unsafe value, let read = unsafe read else { return .some(nil) }
        // A host name has at most 253 octets and an interface's name 15, so a longer string is invalid.
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer -> String?? in
            guard unsafe read(value, buffer.baseAddress!, buffer.count, 0x0800_0100) else { return nil }
            return unsafe String(cString: buffer.baseAddress!)
        }
    }

    func data(_ key: String) -> [UInt8]?? {
        guard let value = unsafe value(key, "CFDataGetTypeID") else { return nil }
        guard let value = unsafe value,
            let bytes = unsafe loaded("CFDataGetBytePtr", as: (@convention(c) (Object) -> UnsafePointer<UInt8>?).self),
            let length = unsafe loaded("CFDataGetLength", as: (@convention(c) (Object) -> Int).self)
        else { return .some(nil) }
        return unsafe Array(UnsafeBufferPointer(start: bytes(value), count: length(value)))
    }
}
