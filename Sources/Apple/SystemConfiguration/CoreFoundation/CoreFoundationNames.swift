// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Foundation

/// `NSString`, so that `string as CFString` compiles as it does on Apple's systems. CoreFoundation's functions accept it. In a
/// file that imports CoreFoundation itself, the name means CoreFoundation's class.
public typealias CFString = NSString

/// The type of ``SCCopyLastError()``: an error that can be thrown, as on Apple's systems.
public typealias CFError = NSError

extension CoreFoundation.CFString {
    /// `CFRunLoopMode.commonModes`: on Linux, CFRunLoopMode is another name for CoreFoundation's string class.
    public static var commonModes: CoreFoundation.CFString { kCFRunLoopCommonModes }

    /// `CFRunLoopMode.defaultMode`.
    public static var defaultMode: CoreFoundation.CFString { kCFRunLoopDefaultMode }

    /// The mode as a string for `SCNetworkReachabilityScheduleWithRunLoop(_:_:_:)`.
    public var rawValue: CFString { CFString(string: text) }

    /// A copy of the string.
    var text: String {
        let length = CFStringGetLength(self)
        var units = [UniChar](repeating: 0, count: length)
        unsafe CFStringGetCharacters(self, CFRange(location: 0, length: length), &units)
        return String(decoding: units, as: UTF16.self)
    }
}

extension RunLoop.Mode: @retroactive _ObjectiveCBridgeable {
    /// Makes `RunLoop.Mode.common as CFString` compile, as it does on Apple's systems.
    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    /// Part of bridging.
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout RunLoop.Mode?) {
        result = RunLoop.Mode(rawValue: String(describing: source))
    }

    /// Part of bridging.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout RunLoop.Mode?) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return true
    }

    /// Part of bridging.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> RunLoop.Mode {
        RunLoop.Mode(rawValue: source.map { String(describing: $0) } ?? "")
    }
}

// Foundation's strings begin like CoreFoundation's objects (CFRuntimeBase of CFRuntime.h), and CoreFoundation asks Foundation for
// their contents. So an object is passed on unchanged.

/// A string that this module's functions take: `NSString`, or the class of CoreFoundation's own constants.
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

extension CoreFoundation.CFString {
    /// The same object: each of CoreFoundation's strings is also an object of Foundation's string class.
    var foundation: CFString { unsafe unsafeBitCast(self, to: CFString.self) }
}
