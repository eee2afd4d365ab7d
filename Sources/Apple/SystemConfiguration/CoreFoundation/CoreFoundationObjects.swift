// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
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

/// Any object of a property list. On Apple's systems this is `AnyObject`, which answers `value["key"]` and `value.allKeys` where
/// the object does. Here `NSObject` answers them.
public typealias CFPropertyList = NSObject

// Disfavoured, so that a value that is known to be a dictionary has the members of NSDictionary.
extension NSObject {
    /// The member of a dictionary; nil if this is none, or has no such member.
    ///
    /// ```swift
    /// let key = "State:/Network/Global/IPv4" as CFString
    /// let name = SCDynamicStoreCopyValue(nil, key)?["PrimaryInterface"] as? String
    /// ```
    @_disfavoredOverload
    public subscript(key: String) -> Any! { (self as? NSDictionary)?.object(forKey: key) }

    /// The keys of a dictionary; nil if this is none.
    @_disfavoredOverload
    public var allKeys: [Any]! { (self as? NSDictionary)?.keyEnumerator().allObjects }
}

/// `NSNumber`, so that `value as! CFBoolean` works: Foundation makes truth values of its own class.
public typealias CFBoolean = NSNumber

// Functions of CoreFoundation that programs call with these names. Where only the result differs from CoreFoundation's,
// `as String` and the like select the function here.

/// CoreFoundation's function, for this module's arrays.
public func CFArrayGetCount(_ array: CFArray) -> CFIndex { array.count }

/// CoreFoundation's function, for this module's arrays. The result belongs to the array.
public func CFArrayGetValueAtIndex(_ array: CFArray, _ index: CFIndex) -> UnsafeRawPointer! {
    unsafe CoreFoundation.CFArrayGetValueAtIndex(unsafeBitCast(array, to: CoreFoundation.CFArray.self), index)
}

/// CoreFoundation's function, for this module's numbers.
public func CFNumberGetType(_ number: CFNumber) -> CFNumberType {
    CoreFoundation.CFNumberGetType(unsafe unsafeBitCast(number, to: CoreFoundation.CFNumber.self))
}

/// CoreFoundation's function.
public func CFCopyDescription(_ cf: CFTypeRef) -> CFString! { CoreFoundation.CFCopyDescription(cf)?.foundation }

/// CoreFoundation's function.
public func CFCopyTypeIDDescription(_ type_id: CFTypeID) -> CFString! {
    CoreFoundation.CFCopyTypeIDDescription(type_id)?.foundation
}

/// CoreFoundation's function, for keys and names that are `as CFString`, beside its own constants.
public func CFPreferencesCopyAppValue(
    _ key: some CoreFoundationString, _ applicationID: some CoreFoundationString
) -> CFPropertyList? {
    CoreFoundation.CFPreferencesCopyAppValue(key.core, applicationID.core) as? NSObject
}

/// CoreFoundation's function, for such names.
@discardableResult
public func CFPreferencesAppSynchronize(_ applicationID: some CoreFoundationString) -> Bool {
    CoreFoundation.CFPreferencesAppSynchronize(applicationID.core)
}
