// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Foundation

// CoreFoundation's collections under the names that Apple's functions use. On Linux, Swift's own collections convert to
// Foundation's classes, so `array as CFArray` and `value as? [String: Any]` compile and work as on Apple's systems. In a file
// that imports CoreFoundation itself, a name means CoreFoundation's class.

/// `NSArray`.
public typealias CFArray = NSArray

/// `NSDictionary`.
public typealias CFDictionary = NSDictionary

/// `NSData`.
public typealias CFData = NSData

/// `NSNumber`.
public typealias CFNumber = NSNumber

/// Any object of a property list. On Apple's systems this is `AnyObject`, on which `value["key"]` and `value.allKeys` work if the
/// object supports them. Here, `NSObject` has these members.
public typealias CFPropertyList = NSObject

// Disfavoured, so that a value that is known to be a dictionary has the members of NSDictionary.
extension NSObject {
    /// A member of a dictionary; nil if this is not a dictionary, or has no such member.
    ///
    /// ```swift
    /// let key = "State:/Network/Global/IPv4" as CFString
    /// let name = SCDynamicStoreCopyValue(nil, key)?["PrimaryInterface"] as? String
    /// ```
    @_disfavoredOverload
    public subscript(key: String) -> Any! { (self as? NSDictionary)?.object(forKey: key) }

    /// The keys of a dictionary; nil if this is not a dictionary.
    @_disfavoredOverload
    public var allKeys: [Any]! { (self as? NSDictionary)?.keyEnumerator().allObjects }
}

/// `NSNumber`, so that `value as! CFBoolean` works: in Foundation, Boolean values are numbers.
public typealias CFBoolean = NSNumber

// CoreFoundation functions that programs call by these names. Where only the type of the result differs from CoreFoundation's, a
// conversion such as `as String` selects the function here.

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

/// CoreFoundation's function, for keys and names that are `as CFString` as well as for its own constants.
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
