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

// CoreFoundation's functions of other kinds that take or return this module's `CFString`, `CFNumber`, `CFBoolean` or `CFData`.
// Where only the result differs from CoreFoundation's, `as String` and the like select the function here.

/// `NSNumber`, so that `value as! CFBoolean` works: Foundation makes truth values of its own class.
public typealias CFBoolean = NSNumber

/// CoreFoundation's function.
public func CFBooleanGetValue(_ boolean: CFBoolean) -> Bool { boolean.boolValue }

/// CoreFoundation's function.
public func CFNumberGetValue(
    _ number: CFNumber, _ theType: CFNumberType, _ valuePtr: UnsafeMutableRawPointer?
) -> Bool {
    unsafe CoreFoundation.CFNumberGetValue(number.core, theType, valuePtr)
}

/// CoreFoundation's function.
public func CFNumberGetType(_ number: CFNumber) -> CFNumberType { CoreFoundation.CFNumberGetType(number.core) }

/// CoreFoundation's function.
public func CFNumberIsFloatType(_ number: CFNumber) -> Bool { CoreFoundation.CFNumberIsFloatType(number.core) }

extension CFNumber {
    fileprivate var core: CoreFoundation.CFNumber { unsafe unsafeBitCast(self, to: CoreFoundation.CFNumber.self) }
}

/// CoreFoundation's function.
public func CFDataGetLength(_ theData: CFData) -> CFIndex { theData.length }

/// CoreFoundation's function. The bytes belong to the data.
public func CFDataGetBytePtr(_ theData: CFData) -> UnsafePointer<UInt8>! {
    unsafe theData.bytes.assumingMemoryBound(to: UInt8.self)
}

/// CoreFoundation's function.
public func CFDataGetBytes(_ theData: CFData, _ range: CFRange, _ buffer: UnsafeMutablePointer<UInt8>) {
    unsafe theData.getBytes(buffer, range: NSRange(location: range.location, length: range.length))
}

// MARK: Any object

/// CoreFoundation's function.
public func CFCopyDescription(_ cf: CFTypeRef) -> CFString! { CoreFoundation.CFCopyDescription(cf)?.foundation }

/// CoreFoundation's function.
public func CFCopyTypeIDDescription(_ type_id: CFTypeID) -> CFString! {
    CoreFoundation.CFCopyTypeIDDescription(type_id)?.foundation
}

// MARK: Identifiers, bundles

/// CoreFoundation's function.
public func CFUUIDCreateString(_ alloc: CFAllocator?, _ uuid: CFUUID) -> CFString! {
    CoreFoundation.CFUUIDCreateString(alloc, uuid)?.foundation
}

/// CoreFoundation's function.
public func CFUUIDCreateFromString(_ alloc: CFAllocator?, _ uuidStr: CFString) -> CFUUID! {
    CoreFoundation.CFUUIDCreateFromString(alloc, uuidStr.core)
}

/// CoreFoundation's function.
public func CFBundleGetBundleWithIdentifier(_ bundleID: CFString) -> CFBundle! {
    CoreFoundation.CFBundleGetBundleWithIdentifier(bundleID.core)
}

/// CoreFoundation's function.
public func CFBundleGetValueForInfoDictionaryKey(_ bundle: CFBundle?, _ key: CFString) -> CFTypeRef! {
    CoreFoundation.CFBundleGetValueForInfoDictionaryKey(bundle, key.core)
}

/// CoreFoundation's function.
public func CFBundleGetFunctionPointerForName(
    _ bundle: CFBundle?, _ functionName: CFString
) -> UnsafeMutableRawPointer! {
    unsafe CoreFoundation.CFBundleGetFunctionPointerForName(bundle, functionName.core)
}

// MARK: URLs

/// CoreFoundation's function.
public func CFURLCreateWithString(_ allocator: CFAllocator?, _ URLString: CFString, _ baseURL: CFURL?) -> CFURL! {
    CoreFoundation.CFURLCreateWithString(allocator, URLString.core, baseURL)
}

/// CoreFoundation's function.
public func CFURLCreateWithFileSystemPath(
    _ allocator: CFAllocator?, _ filePath: CFString, _ pathStyle: CFURLPathStyle, _ isDirectory: Bool
) -> CFURL! {
    CoreFoundation.CFURLCreateWithFileSystemPath(allocator, filePath.core, pathStyle, isDirectory)
}

/// CoreFoundation's function.
public func CFURLGetString(_ anURL: CFURL) -> CFString! { CoreFoundation.CFURLGetString(anURL)?.foundation }

/// CoreFoundation's function.
public func CFURLCopyFileSystemPath(_ anURL: CFURL, _ pathStyle: CFURLPathStyle) -> CFString! {
    CoreFoundation.CFURLCopyFileSystemPath(anURL, pathStyle)?.foundation
}

/// CoreFoundation's function.
public func CFURLCreateStringByAddingPercentEscapes(
    _ allocator: CFAllocator?, _ originalString: CFString, _ charactersToLeaveUnescaped: CFString?,
    _ legalURLCharactersToBeEscaped: CFString?, _ encoding: CFStringEncoding
) -> CFString! {
    CoreFoundation.CFURLCreateStringByAddingPercentEscapes(
        allocator, originalString.core, charactersToLeaveUnescaped?.core, legalURLCharactersToBeEscaped?.core, encoding
    )?.foundation
}

/// CoreFoundation's function.
public func CFURLCreateStringByReplacingPercentEscapes(
    _ allocator: CFAllocator?, _ originalString: CFString, _ charactersToLeaveEscaped: CFString?
) -> CFString! {
    CoreFoundation.CFURLCreateStringByReplacingPercentEscapes(
        allocator, originalString.core, charactersToLeaveEscaped?.core)?.foundation
}

/// CoreFoundation's function.
public func CFURLCreateStringByReplacingPercentEscapesUsingEncoding(
    _ allocator: CFAllocator?, _ origString: CFString, _ charsToLeaveEscaped: CFString?, _ encoding: CFStringEncoding
) -> CFString! {
    CoreFoundation.CFURLCreateStringByReplacingPercentEscapesUsingEncoding(
        allocator, origString.core, charsToLeaveEscaped?.core, encoding)?.foundation
}
