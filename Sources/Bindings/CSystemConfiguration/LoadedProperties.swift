// SPDX-License-Identifier: Apache-2.0

import DynamicStore
import LegacyReachability
import LinuxSystem

/// Property lists of the CoreFoundation that the program has loaded.
@safe
struct LoadedProperties {
    typealias Object = UnsafeMutableRawPointer
    private typealias TypeNumber = @convention(c) () -> UInt

    private let foundation: LoadedFoundation

    /// Nil, with a status, while the program has not loaded CoreFoundation.
    static var shared: LoadedProperties? {
        guard let foundation = LoadedFoundation.shared else {
            LegacyStatus.last = .failed
            return nil
        }
        return LoadedProperties(foundation: foundation)
    }

    // MARK: Making

    /// An object with the value; nil if CoreFoundation cannot make it.
    func object(_ value: PropertyValue) -> CoreObject? {
        switch value {
        case .string(let text): return foundation.string(text)
        case .number(let number):
            // kCFNumberSInt64Type
            return unsafe make { unsafe withUnsafePointer(to: number) { unsafe self.number(4, $0) } }
        case .real(let number):
            // kCFNumberFloat64Type
            return unsafe make { unsafe withUnsafePointer(to: number) { unsafe self.number(6, $0) } }
        case .boolean(let isTrue):
            guard let variable = unsafe loaded(isTrue ? "kCFBooleanTrue" : "kCFBooleanFalse", as: Object.self),
                let object = unsafe variable.load(as: Object?.self)
            else { return nil }
            return unsafe foundation.hold(object)
        case .data(let bytes):
            let create = unsafe loaded(
                "CFDataCreate", as: (@convention(c) (Object?, UnsafePointer<UInt8>?, Int) -> Object?).self)
            return unsafe make {
                unsafe bytes.withUnsafeBufferPointer { unsafe create?(nil, $0.baseAddress, $0.count) }
            }
        case .date(let seconds):
            let create = unsafe loaded("CFDateCreate", as: (@convention(c) (Object?, Double) -> Object?).self)
            return unsafe make { create?(nil, seconds) }
        case .array(let elements): return array(elements.map(object))
        case .dictionary(let members): return dictionary(members)
        }
    }

    private func make(_ create: () -> Object?) -> CoreObject? {
        unsafe create().map { unsafe foundation.adopt($0) }
    }

    private func number(_ type: Int, _ value: UnsafeRawPointer) -> Object? {
        unsafe loaded("CFNumberCreate", as: (@convention(c) (Object?, Int, UnsafeRawPointer) -> Object?).self)?(
            nil, type, value)
    }

    /// An array of objects; nil if one of them could not be made.
    func array(_ elements: [CoreObject?]) -> CoreObject? {
        guard
            let create = unsafe loaded(
                "CFArrayCreateMutable", as: (@convention(c) (Object?, Int, Object?) -> Object?).self),
            let append = unsafe loaded("CFArrayAppendValue", as: (@convention(c) (Object, Object) -> Void).self),
            let callbacks = unsafe loaded("kCFTypeArrayCallBacks", as: Object.self),
            let array = unsafe make({ unsafe create(nil, 0, callbacks) })
        else { return nil }
        for element in elements {
            guard let element else { return nil }
            unsafe append(array.pointer, element.pointer)
        }
        return array
    }

    private func dictionary(_ members: [String: PropertyValue]) -> CoreObject? {
        guard
            let create = unsafe loaded(
                "CFDictionaryCreateMutable", as: (@convention(c) (Object?, Int, Object?, Object?) -> Object?).self),
            let set = unsafe loaded(
                "CFDictionarySetValue", as: (@convention(c) (Object, Object, Object) -> Void).self),
            let keys = unsafe loaded("kCFTypeDictionaryKeyCallBacks", as: Object.self),
            let values = unsafe loaded("kCFTypeDictionaryValueCallBacks", as: Object.self),
            let dictionary = unsafe make({ unsafe create(nil, 0, keys, values) })
        else { return nil }
        for (name, value) in members {
            guard let key = foundation.string(name), let object = object(value) else { return nil }
            unsafe set(dictionary.pointer, key.pointer, object.pointer)
        }
        return dictionary
    }

    /// The object as a function returns it: with a reference that the caller releases.
    func returned(_ object: CoreObject?) -> OpaquePointer? {
        guard let object else { return nil }
        return unsafe OpaquePointer(foundation.retained(object))
    }
}

// MARK: - Reading

extension LoadedProperties {
    /// The value of a property list. Nil if it contains something else, or is nested without end.
    func value(_ object: OpaquePointer?) -> PropertyValue? {
        guard let object = unsafe object else { return nil }
        return unsafe value(Object(object), depth: 0)
    }

    private func value(_ object: Object, depth: Int) -> PropertyValue? {
        guard depth < 512 else { return nil }
        if unsafe has(object, "CFString") { return unsafe string(object).map(PropertyValue.string) }
        if unsafe has(object, "CFBoolean") {
            return unsafe get("CFBooleanGetValue", as: (@convention(c) (Object) -> Bool).self).map {
                unsafe .boolean($0(object))
            }
        }
        if unsafe has(object, "CFNumber") { return unsafe number(object) }
        if unsafe has(object, "CFDate") {
            return unsafe get("CFDateGetAbsoluteTime", as: (@convention(c) (Object) -> Double).self).map {
                unsafe .date($0(object))
            }
        }
        if unsafe has(object, "CFData") { return unsafe data(object) }
        if unsafe has(object, "CFArray") {
            guard let elements = unsafe elements(object) else { return nil }
            let values = unsafe elements.compactMap { unsafe value($0, depth: depth + 1) }
            return unsafe values.count == elements.count ? .array(values) : nil
        }
        return unsafe has(object, "CFDictionary") ? unsafe dictionary(object, depth) : nil
    }

    /// The strings of an array. Empty for null; nil if it is no array of strings.
    func strings(_ array: OpaquePointer?) -> [String]? {
        guard let array = unsafe array else { return [] }
        guard let value = unsafe value(array)?.array else { return nil }
        let strings = value.compactMap(\.string)
        return strings.count == value.count ? strings : nil
    }

    /// The text of a string; nil if it is null or none.
    func string(_ object: OpaquePointer?) -> String? { unsafe value(object)?.string }

    private func get<Function>(_ name: String, as type: Function.Type) -> Function? { loaded(name, as: type) }

    private func has(_ object: Object, _ type: String) -> Bool {
        guard let typeOf = unsafe get("CFGetTypeID", as: (@convention(c) (Object) -> UInt).self),
            let number = get("\(type)GetTypeID", as: TypeNumber.self)
        else { return false }
        return unsafe typeOf(object) == number()
    }

    private func string(_ object: Object) -> String? {
        // kCFStringEncodingUTF8 takes at most three bytes for each UTF-16 unit.
        guard let length = unsafe get("CFStringGetLength", as: (@convention(c) (Object) -> Int).self)?(object),
            let read = unsafe get(
                "CFStringGetCString",
                as: (@convention(c) (Object, UnsafeMutablePointer<CChar>, Int, UInt32) -> Bool).self)
        else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 3 * length + 1) { buffer -> String? in
            guard unsafe read(object, buffer.baseAddress!, buffer.count, 0x0800_0100) else { return nil }
            return unsafe String(cString: buffer.baseAddress!)
        }
    }

    private func number(_ object: Object) -> PropertyValue? {
        typealias Get = @convention(c) (Object, Int, UnsafeMutableRawPointer) -> Bool
        guard let isFloat = unsafe get("CFNumberIsFloatType", as: (@convention(c) (Object) -> Bool).self),
            let read = unsafe get("CFNumberGetValue", as: Get.self)
        else { return nil }
        if unsafe isFloat(object) {
            var number = 0.0
            return unsafe read(object, 6, &number) ? .real(number) : nil
        }
        var number: Int64 = 0
        return unsafe read(object, 4, &number) ? .number(number) : nil
    }

    private func data(_ object: Object) -> PropertyValue? {
        guard let bytes = unsafe get("CFDataGetBytePtr", as: (@convention(c) (Object) -> UnsafePointer<UInt8>?).self),
            let length = unsafe get("CFDataGetLength", as: (@convention(c) (Object) -> Int).self)
        else { return nil }
        return unsafe .data(Array(UnsafeBufferPointer(start: bytes(object), count: length(object))))
    }

    private func elements(_ array: Object) -> [Object]? {
        guard let count = unsafe get("CFArrayGetCount", as: (@convention(c) (Object) -> Int).self)?(array),
            let element = unsafe get("CFArrayGetValueAtIndex", as: (@convention(c) (Object, Int) -> Object?).self)
        else { return nil }
        let elements = unsafe (0..<count).compactMap { unsafe element(array, $0) }
        return unsafe elements.count == count ? elements : nil
    }

    private func dictionary(_ object: Object, _ depth: Int) -> PropertyValue? {
        typealias Get = @convention(c) (Object, UnsafeMutablePointer<Object?>, UnsafeMutablePointer<Object?>) -> Void
        guard let count = unsafe get("CFDictionaryGetCount", as: (@convention(c) (Object) -> Int).self)?(object),
            let read = unsafe get("CFDictionaryGetKeysAndValues", as: Get.self)
        else { return nil }
        var keys = unsafe [Object?](repeating: nil, count: count)
        var values = unsafe [Object?](repeating: nil, count: count)
        unsafe read(object, &keys, &values)
        var members: [String: PropertyValue] = [:]
        for position in 0..<count {
            guard let key = unsafe keys[position], unsafe has(key, "CFString"), let name = unsafe string(key),
                let member = unsafe values[position], let value = unsafe value(member, depth: depth + 1)
            else { return nil }
            members[name] = value
        }
        return .dictionary(members)
    }
}
