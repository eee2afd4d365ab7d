// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Foundation

// CoreFoundation's functions for this module's `CFString`, which is NSString: those that programs call with `as CFString`.
// Foundation's strings begin as CoreFoundation's objects do (CFRuntimeBase of CFRuntime.h), and CoreFoundation asks
// Foundation for what they contain. So the object is passed on as it is.

/// A string that CoreFoundation's functions take: `NSString`, or CoreFoundation's own class, which its constants have.
public protocol CoreFoundationString: AnyObject {}

extension NSString: CoreFoundationString {}
extension CoreFoundation.CFString: CoreFoundationString {}

/// `NSMutableString`.
public typealias CFMutableString = NSMutableString

extension CoreFoundationString {
    var core: CoreFoundation.CFString {
        unsafe Unmanaged.fromOpaque(Unmanaged.passUnretained(self).toOpaque()).takeUnretainedValue()
    }
}

extension CFMutableString {
    var mutableCore: CoreFoundation.CFMutableString {
        unsafe unsafeBitCast(self, to: CoreFoundation.CFMutableString.self)
    }
}

extension CoreFoundation.CFString {
    /// The same object. Foundation makes each of CoreFoundation's strings one of its own class.
    var foundation: CFString { unsafe unsafeBitCast(self, to: CFString.self) }
}

// MARK: Reading

/// CoreFoundation's function: the number of UTF-16 units.
public func CFStringGetLength(_ theString: CFString) -> CFIndex { CoreFoundation.CFStringGetLength(theString.core) }

/// CoreFoundation's function.
public func CFStringGetCharacterAtIndex(_ theString: CFString, _ idx: CFIndex) -> UniChar {
    CoreFoundation.CFStringGetCharacterAtIndex(theString.core, idx)
}

/// CoreFoundation's function.
public func CFStringGetCharacters(_ theString: CFString, _ range: CFRange, _ buffer: UnsafeMutablePointer<UniChar>) {
    unsafe CoreFoundation.CFStringGetCharacters(theString.core, range, buffer)
}

/// CoreFoundation's function.
public func CFStringGetCString(
    _ theString: CFString, _ buffer: UnsafeMutablePointer<CChar>, _ bufferSize: CFIndex, _ encoding: CFStringEncoding
) -> Bool {
    unsafe CoreFoundation.CFStringGetCString(theString.core, buffer, bufferSize, encoding)
}

/// CoreFoundation's function. Nil if the string has no such buffer, as on Apple's systems.
public func CFStringGetCStringPtr(_ theString: CFString, _ encoding: CFStringEncoding) -> UnsafePointer<CChar>? {
    unsafe CoreFoundation.CFStringGetCStringPtr(theString.core, encoding)
}

/// CoreFoundation's function.
///
/// Foundation answers in UTF-8 for ISO Latin 1 too (Swift 6.3), so CoreFoundation reads a copy of its own class.
public func CFStringGetBytes(
    _ theString: CFString, _ range: CFRange, _ encoding: CFStringEncoding, _ lossByte: UInt8,
    _ isExternalRepresentation: Bool, _ buffer: UnsafeMutablePointer<UInt8>?, _ maxBufLen: CFIndex,
    _ usedBufLen: UnsafeMutablePointer<CFIndex>?
) -> CFIndex {
    let units = Array(String(describing: theString).utf16)
    let copy = unsafe CFStringCreateWithCharacters(nil, units, units.count)
    return unsafe CoreFoundation.CFStringGetBytes(
        copy, range, encoding, lossByte, isExternalRepresentation, buffer, maxBufLen, usedBufLen)
}

/// CoreFoundation's function.
public func CFStringGetFileSystemRepresentation(
    _ string: CFString, _ buffer: UnsafeMutablePointer<CChar>, _ maxBufLen: CFIndex
) -> Bool {
    unsafe CoreFoundation.CFStringGetFileSystemRepresentation(string.core, buffer, maxBufLen)
}

/// CoreFoundation's function.
public func CFStringGetIntValue(_ str: CFString) -> Int32 { CoreFoundation.CFStringGetIntValue(str.core) }

/// CoreFoundation's function.
public func CFStringGetDoubleValue(_ str: CFString) -> Double { CoreFoundation.CFStringGetDoubleValue(str.core) }

/// CoreFoundation's function.
public func CFStringConvertIANACharSetNameToEncoding(_ theString: CFString) -> CFStringEncoding {
    CoreFoundation.CFStringConvertIANACharSetNameToEncoding(theString.core)
}

// MARK: Comparing

/// CoreFoundation's function.
public func CFStringCompare(
    _ theString1: some CoreFoundationString, _ theString2: some CoreFoundationString,
    _ compareOptions: CFStringCompareFlags
) -> CFComparisonResult {
    CoreFoundation.CFStringCompare(theString1.core, theString2.core, compareOptions)
}

/// CoreFoundation's function.
public func CFStringCompareWithOptions(
    _ theString1: some CoreFoundationString, _ theString2: some CoreFoundationString, _ rangeToCompare: CFRange,
    _ compareOptions: CFStringCompareFlags
) -> CFComparisonResult {
    CoreFoundation.CFStringCompareWithOptions(theString1.core, theString2.core, rangeToCompare, compareOptions)
}

/// CoreFoundation's function.
public func CFStringHasPrefix(_ theString: some CoreFoundationString, _ prefix: some CoreFoundationString) -> Bool {
    CoreFoundation.CFStringHasPrefix(theString.core, prefix.core)
}

/// CoreFoundation's function.
public func CFStringHasSuffix(_ theString: some CoreFoundationString, _ suffix: some CoreFoundationString) -> Bool {
    CoreFoundation.CFStringHasSuffix(theString.core, suffix.core)
}

/// CoreFoundation's function.
public func CFStringFind(
    _ theString: some CoreFoundationString, _ stringToFind: some CoreFoundationString,
    _ compareOptions: CFStringCompareFlags
) -> CFRange {
    CoreFoundation.CFStringFind(theString.core, stringToFind.core, compareOptions)
}

// MARK: Making and changing

/// CoreFoundation's function.
public func CFStringCreateCopy(_ alloc: CFAllocator?, _ theString: CFString) -> CFString! {
    CoreFoundation.CFStringCreateCopy(alloc, theString.core)?.foundation
}

/// CoreFoundation's function.
public func CFStringCreateMutableCopy(
    _ alloc: CFAllocator?, _ maxLength: CFIndex, _ theString: CFString
) -> CFMutableString! {
    CoreFoundation.CFStringCreateMutableCopy(alloc, maxLength, theString.core).map {
        unsafe unsafeBitCast($0, to: CFMutableString.self)
    }
}

/// CoreFoundation's function.
public func CFStringCreateWithSubstring(_ alloc: CFAllocator?, _ str: CFString, _ range: CFRange) -> CFString! {
    CoreFoundation.CFStringCreateWithSubstring(alloc, str.core, range)?.foundation
}

/// CoreFoundation's function.
public func CFStringCreateExternalRepresentation(
    _ alloc: CFAllocator?, _ theString: CFString, _ encoding: CFStringEncoding, _ lossByte: UInt8
) -> CFData! {
    CoreFoundation.CFStringCreateExternalRepresentation(alloc, theString.core, encoding, lossByte).map {
        unsafe unsafeBitCast($0, to: CFData.self)
    }
}

/// CoreFoundation's function.
public func CFStringCreateArrayBySeparatingStrings(
    _ alloc: CFAllocator?, _ theString: some CoreFoundationString, _ separatorString: some CoreFoundationString
) -> CFArray! {
    CoreFoundation.CFStringCreateArrayBySeparatingStrings(alloc, theString.core, separatorString.core).map {
        unsafe unsafeBitCast($0, to: CFArray.self)
    }
}

/// CoreFoundation's function.
public func CFStringAppend(_ theString: CFMutableString, _ appendedString: some CoreFoundationString) {
    CoreFoundation.CFStringAppend(theString.mutableCore, appendedString.core)
}

/// CoreFoundation's function.
@discardableResult
public func CFStringTransform(
    _ string: CFMutableString, _ range: UnsafeMutablePointer<CFRange>?, _ transform: some CoreFoundationString,
    _ reverse: Bool
) -> Bool {
    unsafe CoreFoundation.CFStringTransform(string.mutableCore, range, transform.core, reverse)
}

/// CoreFoundation's function.
public func CFStringFold(_ theString: CFMutableString, _ theFlags: CFStringCompareFlags, _ theLocale: CFLocale?) {
    CoreFoundation.CFStringFold(theString.mutableCore, theFlags, theLocale)
}

/// CoreFoundation's function.
public func CFStringNormalize(_ theString: CFMutableString, _ theForm: CFStringNormalizationForm) {
    CoreFoundation.CFStringNormalize(theString.mutableCore, theForm)
}
