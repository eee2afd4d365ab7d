// SPDX-License-Identifier: Apache-2.0

import SystemConfigurationCore

/// The functions of the CoreFoundation that the program has loaded.
@safe
struct LoadedFoundation: @unchecked Sendable {
    typealias Object = UnsafeMutableRawPointer

    private let retain: @convention(c) (Object) -> Object
    private let release: @convention(c) (Object) -> Void
    private let equal: @convention(c) (Object, Object) -> Bool

    /// Nil while the program has not loaded CoreFoundation.
    static var shared: LoadedFoundation? { try? LoadedFoundation() }

    init() throws(NotLoaded) {
        unsafe retain = try lookUp("CFRetain")
        unsafe release = try lookUp("CFRelease")
        unsafe equal = try lookUp("CFEqual")
    }

    /// Takes over a reference.
    func adopt(_ pointer: UnsafeMutableRawPointer) -> CoreObject {
        unsafe CoreObject(pointer) { [self] in unsafe release($0) }
    }

    /// Retains the object.
    func hold(_ pointer: UnsafeMutableRawPointer) -> CoreObject {
        unsafe adopt(retain(pointer))
    }

    func isEqual(_ left: CoreObject, _ right: CoreObject) -> Bool {
        unsafe equal(left.pointer, right.pointer)
    }

    private func string(_ text: UnsafePointer<CChar>) -> CoreObject? {
        let create = unsafe loaded(
            "CFStringCreateWithCString",
            as: (@convention(c) (Object?, UnsafePointer<CChar>, UInt32) -> Object?).self)
        // kCFStringEncodingUTF8
        return unsafe create?(nil, text, 0x0800_0100).map { unsafe adopt($0) }
    }

    /// An error for a status, with its sentence as description, owned by the caller.
    func error(_ status: LegacyStatus) -> OpaquePointer? {
        typealias Create =
            @convention(c) (
                Object?, Object, Int, UnsafePointer<Object?>, UnsafePointer<Object?>, Int
            ) -> Object?
        let create = unsafe loaded("CFErrorCreateWithUserInfoKeysAndValues", as: Create.self)
        let domain = unsafe string(status.isErrno ? "NSPOSIXErrorDomain" : "com.apple.SystemConfiguration")
        // kCFErrorLocalizedDescriptionKey
        let key = unsafe string("NSLocalizedDescription")
        guard let create = unsafe create, let domain, let key, let sentence = unsafe string(status.cString) else {
            return nil
        }
        return unsafe withExtendedLifetime((domain, key, sentence)) {
            unsafe create(nil, domain.pointer, Int(status.rawValue), [key.pointer], [sentence.pointer], 1)
                .map { OpaquePointer($0) }
        }
    }
}
