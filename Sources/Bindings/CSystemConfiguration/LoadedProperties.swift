// SPDX-License-Identifier: Apache-2.0

import SystemConfigurationCore

// Property lists of the CoreFoundation that the program has loaded.

// MARK: - Making

extension LoadedFoundation {
    /// An object with the value; nil if CoreFoundation cannot make it.
    func object(_ value: PropertyValue) -> CoreObject? {
        switch value {
        case .string(let text): return string(text)
        case .number(let number):
            // kCFNumberSInt64Type
            let create = unsafe loaded(
                "CFNumberCreate", as: (@convention(c) (Object?, Int, UnsafeRawPointer) -> Object?).self)
            return unsafe make { unsafe withUnsafePointer(to: number) { unsafe create?(nil, 4, $0) } }
        case .boolean(let isTrue):
            guard let variable = unsafe loaded(isTrue ? "kCFBooleanTrue" : "kCFBooleanFalse", as: Object.self),
                let object = unsafe variable.load(as: Object?.self)
            else { return nil }
            return unsafe hold(object)
        case .data(let bytes):
            let create = unsafe loaded(
                "CFDataCreate", as: (@convention(c) (Object?, UnsafePointer<UInt8>?, Int) -> Object?).self)
            return unsafe make {
                unsafe bytes.withUnsafeBufferPointer { unsafe create?(nil, $0.baseAddress, $0.count) }
            }
        case .array(let elements): return array(elements.map(object))
        case .dictionary(let members): return dictionary(members)
        }
    }

    private func make(_ create: () -> Object?) -> CoreObject? {
        unsafe create().map { unsafe adopt($0) }
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
            guard let key = string(name), let object = object(value) else { return nil }
            unsafe set(dictionary.pointer, key.pointer, object.pointer)
        }
        return dictionary
    }

    /// The dictionary that a file contains; nil if it contains none.
    func list(in bytes: [UInt8]) -> CoreObject? {
        typealias Create = @convention(c) (Object?, Object, UInt, Object?, Object?) -> Object?
        guard let create = unsafe loaded("CFPropertyListCreateWithData", as: Create.self),
            let data = object(.data(bytes)),
            let list = unsafe make({ unsafe create(nil, data.pointer, 0, nil, nil) })
        else { return nil }
        return unsafe has(list.pointer, "CFDictionary") ? list : nil
    }
}

// MARK: - Reading

extension LoadedFoundation {
    /// The strings of an array. Empty for null; nil if it is no array of strings.
    func strings(_ array: OpaquePointer?) -> [String]? {
        guard let array = unsafe array else { return [] }
        guard unsafe has(Object(array), "CFArray"),
            let count = unsafe loaded("CFArrayGetCount", as: (@convention(c) (Object) -> Int).self)?(Object(array)),
            let element = unsafe loaded("CFArrayGetValueAtIndex", as: (@convention(c) (Object, Int) -> Object?).self)
        else { return nil }
        let strings = (0..<count).compactMap { unsafe text(element(Object(array), $0).map(OpaquePointer.init)) }
        return strings.count == count ? strings : nil
    }

    /// The text of a string; nil if it is null or none.
    func text(_ object: OpaquePointer?) -> String? {
        // kCFStringEncodingUTF8 takes at most three bytes for each UTF-16 unit.
        guard let object = unsafe object.map(Object.init), unsafe has(object, "CFString"),
            let length = unsafe loaded("CFStringGetLength", as: (@convention(c) (Object) -> Int).self)?(object),
            let read = unsafe loaded(
                "CFStringGetCString",
                as: (@convention(c) (Object, UnsafeMutablePointer<CChar>, Int, UInt32) -> Bool).self)
        else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 3 * length + 1) { buffer -> String? in
            guard unsafe read(object, buffer.baseAddress!, buffer.count, 0x0800_0100) else { return nil }
            return unsafe String(cString: buffer.baseAddress!)
        }
    }

    /// The keys of a dictionary that are strings, in alphabetical order.
    func keys(of dictionary: CoreObject) -> CoreObject? {
        typealias Copy = @convention(c) (Object, UnsafeMutablePointer<Object?>, UnsafeMutablePointer<Object?>?) -> Void
        guard let count = unsafe loaded("CFDictionaryGetCount", as: (@convention(c) (Object) -> Int).self),
            let copy = unsafe loaded("CFDictionaryGetKeysAndValues", as: Copy.self)
        else { return nil }
        var keys = unsafe [Object?](repeating: nil, count: count(dictionary.pointer))
        unsafe copy(dictionary.pointer, &keys, nil)
        return object(.strings(unsafe keys.compactMap { unsafe text(OpaquePointer($0)) }.sorted()))
    }

    /// A member of a dictionary; nil if there is none, or if the object is no dictionary.
    func member(_ key: String, of dictionary: Object) -> Object? {
        guard unsafe has(dictionary, "CFDictionary"), let key = string(key),
            let get = unsafe loaded("CFDictionaryGetValue", as: (@convention(c) (Object, Object) -> Object?).self)
        else { return nil }
        return unsafe get(dictionary, key.pointer)
    }

    /// The options of a target. Nil if the object is no dictionary of them.
    func options(_ dictionary: OpaquePointer?) -> LegacyOptions? {
        guard let dictionary = unsafe dictionary.map(Object.init), unsafe has(dictionary, "CFDictionary") else {
            return nil
        }
        return LegacyOptions { key in unsafe member(key, of: dictionary).map { unsafe option($0) } }
    }

    /// A string, data, or a truth value; nil for an object of another type.
    private func option(_ object: Object) -> PropertyValue? {
        // A host name has at most 253 octets and an interface's name 15, so a longer string is invalid.
        if let text = unsafe text(OpaquePointer(object)) { return text.utf8.count < 1024 ? .string(text) : nil }
        if unsafe has(object, "CFBoolean"),
            let read = unsafe loaded("CFBooleanGetValue", as: (@convention(c) (Object) -> Bool).self)
        {
            return .boolean(unsafe read(object))
        }
        guard unsafe has(object, "CFData"),
            let bytes = unsafe loaded("CFDataGetBytePtr", as: (@convention(c) (Object) -> UnsafePointer<UInt8>?).self),
            let length = unsafe loaded("CFDataGetLength", as: (@convention(c) (Object) -> Int).self)
        else { return nil }
        return .data(unsafe Array(UnsafeBufferPointer(start: bytes(object), count: length(object))))
    }

    /// Whether these are options for a session of the dynamic store.
    func isStoreOptions(_ options: OpaquePointer) -> Bool {
        guard unsafe has(Object(options), "CFDictionary") else { return false }
        guard let useSessionKeys = unsafe member("UseSessionKeys", of: Object(options)) else { return true }
        return unsafe has(useSessionKeys, "CFBoolean")
    }

    func has(_ object: Object, _ type: String) -> Bool {
        guard let typeOf = unsafe loaded("CFGetTypeID", as: (@convention(c) (Object) -> UInt).self),
            let number = loaded("\(type)GetTypeID", as: (@convention(c) () -> UInt).self)
        else { return false }
        return unsafe typeOf(object) == number()
    }
}
