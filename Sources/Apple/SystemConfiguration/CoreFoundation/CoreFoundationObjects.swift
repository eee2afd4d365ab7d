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

/// Any object of a property list.
public typealias CFPropertyList = AnyObject

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
    CoreFoundation.CFPreferencesCopyAppValue(key.core, applicationID.core)
}

/// CoreFoundation's function, for such names.
@discardableResult
public func CFPreferencesAppSynchronize(_ applicationID: some CoreFoundationString) -> Bool {
    CoreFoundation.CFPreferencesAppSynchronize(applicationID.core)
}
