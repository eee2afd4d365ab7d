// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
public import Foundation

// CoreFoundation's collections under the names that Apple's functions use. Foundation's classes are what Swift's own
// collections convert to on Linux: `array as CFArray` and `value as? [String: Any]` compile and work as on Apple's systems.
// In a file that imports CoreFoundation itself, a name means CoreFoundation's class.

/// `NSArray`.
public typealias CFArray = NSArray

/// `NSDictionary`.
public typealias CFDictionary = NSDictionary

/// `NSData`.
public typealias CFData = NSData

/// `NSNumber`.
public typealias CFNumber = NSNumber

/// Any object of a property list.
public typealias CFPropertyList = AnyObject

/// CoreFoundation's function, for this module's arrays.
public func CFArrayGetCount(_ array: CFArray) -> CFIndex { array.count }

/// CoreFoundation's function, for this module's dictionaries.
public func CFDictionaryGetCount(_ dictionary: CFDictionary) -> CFIndex { dictionary.count }

/// CoreFoundation's function, for this module's arrays. The result belongs to the array.
public func CFArrayGetValueAtIndex(_ array: CFArray, _ index: CFIndex) -> UnsafeRawPointer! {
    unsafe CoreFoundation.CFArrayGetValueAtIndex(unsafeBitCast(array, to: CoreFoundation.CFArray.self), index)
}

/// CoreFoundation's function, for this module's dictionaries. The result belongs to the dictionary.
public func CFDictionaryGetValue(_ dictionary: CFDictionary, _ key: UnsafeRawPointer!) -> UnsafeRawPointer! {
    unsafe CoreFoundation.CFDictionaryGetValue(
        unsafeBitCast(dictionary, to: CoreFoundation.CFDictionary.self), key)
}

/// CoreFoundation's function, for this module's dictionaries.
public func CFDictionaryContainsKey(_ dictionary: CFDictionary, _ key: UnsafeRawPointer!) -> Bool {
    unsafe CoreFoundation.CFDictionaryContainsKey(
        unsafeBitCast(dictionary, to: CoreFoundation.CFDictionary.self), key)
}
