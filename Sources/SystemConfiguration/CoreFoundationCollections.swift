// SPDX-License-Identifier: Apache-2.0

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
