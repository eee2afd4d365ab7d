// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// Calls CoreFoundation's functions with `as CFString`, as programs for a Mac do that import nothing else.
public enum CoreFoundationStrings {
    /// The functions whose answer was not the one expected: none.
    public static func surprises() -> [String] {
        let checks = [
            ("length", CFStringGetLength("añ🙂" as CFString) == 4),
            ("character", CFStringGetCharacterAtIndex("añ" as CFString, 1) == 0xF1),
            ("characters", characters("añ🙂") == Array("añ🙂".utf16)),
            ("C string", cString("añ🙂") == "añ🙂"),
            ("C pointer", pointerText("plain").map { $0 == "plain" } ?? true),
            ("bytes", bytes("añ") == [0x61, 0xF1]),
            ("path", path("/tmp/añ") == "/tmp/añ"),
            (
                "numbers",
                CFStringGetIntValue("42x" as CFString) == 42 && CFStringGetDoubleValue("1.5" as CFString) == 1.5
            ),
            (
                "encoding",
                CFStringConvertIANACharSetNameToEncoding("utf-8" as CFString) == CFStringBuiltInEncodings.UTF8.rawValue
            ),
            ("compare", CFStringCompare("a" as CFString, "b" as CFString, []) == .compareLessThan),
            (
                "compare without case",
                CFStringCompare("A" as CFString, "a" as CFString, .compareCaseInsensitive) == .compareEqualTo
            ),
            (
                "compare a part",
                CFStringCompareWithOptions(
                    "10.2" as CFString, "10.10" as CFString, CFRangeMake(0, 4), .compareNumerically)
                    == .compareLessThan
            ),
            (
                "prefix",
                CFStringHasPrefix("en0" as CFString, "en" as CFString)
                    && CFStringHasSuffix("en0" as CFString, "0" as CFString)
            ),
            ("find", CFStringFind("a/b" as CFString, "/" as CFString, []).location == 1),
            ("copy", CFStringCreateCopy(nil, "copy" as CFString) as String == "copy"),
            ("part", CFStringCreateWithSubstring(nil, "abc" as CFString, CFRangeMake(1, 2)) as String == "bc"),
            (
                "parts",
                CFStringCreateArrayBySeparatingStrings(nil, "a,b" as CFString, "," as CFString) as? [String] == [
                    "a", "b",
                ]
            ),
            (
                "data",
                CFDataGetLength(
                    CFStringCreateExternalRepresentation(
                        nil, "añ" as CFString, CFStringBuiltInEncodings.UTF8.rawValue, 0)) == 3
            ),
            ("transform", latin("Привет") == "Privet"),
            ("fold", folded("ÀÉ") == "ae!"),
            ("equal", CFEqual("a" as CFString, "a" as CFString) && !CFEqual("a" as CFString, "b" as CFString)),
            ("hash", CFHash("a" as CFString) == CFHash("a" as CFString)),
            ("type", CFGetTypeID("a" as CFString) == CFStringGetTypeID()),
            ("description", (CFCopyDescription("xyz" as CFString) as String).contains("xyz")),
            ("name of a type", CFCopyTypeIDDescription(CFStringGetTypeID()) as String == "CFString"),
            (
                "identifier",
                identifier("68753A44-4D6F-1226-9C60-0050E4C00067") == "68753A44-4D6F-1226-9C60-0050E4C00067"
            ),
            (
                "URL",
                CFURLGetString(CFURLCreateWithString(nil, "http://a/b" as CFString, nil)) as String == "http://a/b"
            ),
            ("URL of a file", filePath("/tmp/x") == "/tmp/x"),
            ("escapes", escaped("a b&c") == "a%20b%26c"),
            (
                "no escapes",
                CFURLCreateStringByReplacingPercentEscapes(nil, "a%20b" as CFString, "" as CFString) as String == "a b"
            ),
            ("no bundle", CFBundleGetBundleWithIdentifier("com.example.none" as CFString) == nil),
            ("information", CFBundleGetValueForInfoDictionaryKey(CFBundleGetMainBundle(), "none" as CFString) == nil),
            ("number", number(7 as CFNumber) == 7 && !CFNumberIsFloatType(7 as CFNumber)),
        ]
        return checks.filter { !$0.1 }.map { $0.0 }
    }

    private static func characters(_ text: String) -> [UniChar] {
        let string = text as CFString
        var buffer = [UniChar](repeating: 0, count: CFStringGetLength(string))
        CFStringGetCharacters(string, CFRangeMake(0, buffer.count), &buffer)
        return buffer
    }

    private static func cString(_ text: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        guard CFStringGetCString(text as CFString, &buffer, buffer.count, CFStringBuiltInEncodings.UTF8.rawValue) else {
            return nil
        }
        return buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    private static func pointerText(_ text: String) -> String? {
        CFStringGetCStringPtr(text as CFString, CFStringBuiltInEncodings.ASCII.rawValue).map { String(cString: $0) }
    }

    private static func bytes(_ text: String) -> [UInt8] {
        let string = text as CFString
        var buffer = [UInt8](repeating: 0, count: 8)
        var used = 0
        let latin = CFStringBuiltInEncodings.isoLatin1.rawValue
        _ = CFStringGetBytes(string, CFRangeMake(0, CFStringGetLength(string)), latin, 0, false, &buffer, 8, &used)
        return Array(buffer[..<used])
    }

    private static func path(_ text: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        guard CFStringGetFileSystemRepresentation(text as CFString, &buffer, buffer.count) else { return nil }
        return buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    private static func latin(_ text: String) -> String {
        let string = NSMutableString(string: text) as CFMutableString
        CFStringTransform(string, nil, kCFStringTransformToLatin, false)
        CFStringTransform(string, nil, "Latin-ASCII" as CFString, false)
        return string as String
    }

    private static func folded(_ text: String) -> String {
        let string = CFStringCreateMutableCopy(nil, 0, text as CFString)!
        CFStringFold(string, [.compareCaseInsensitive, .compareDiacriticInsensitive], nil)
        CFStringNormalize(string, .C)
        CFStringAppend(string, "!" as CFString)
        return string as String
    }

    private static func identifier(_ text: String) -> String {
        CFUUIDCreateString(nil, CFUUIDCreateFromString(nil, text as CFString)) as String
    }

    private static func filePath(_ path: String) -> String {
        let url = CFURLCreateWithFileSystemPath(kCFAllocatorDefault, path as CFString, .cfurlposixPathStyle, false)
        return CFURLCopyFileSystemPath(url!, .cfurlposixPathStyle) as String
    }

    private static func escaped(_ text: String) -> String {
        CFURLCreateStringByAddingPercentEscapes(
            nil, text as CFString, nil, "!*'();:@&=+$,/?%#[]" as CFString, CFStringBuiltInEncodings.UTF8.rawValue)
            as String
    }

    private static func number(_ object: CFNumber) -> Int32 {
        var value: Int32 = 0
        return CFNumberGetValue(object, .sInt32Type, &value) ? value : 0
    }
}
