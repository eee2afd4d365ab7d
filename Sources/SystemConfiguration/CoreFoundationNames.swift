// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
public import Foundation

/// On Linux `String as CFString` never compiles, while `String as NSString` does, and CoreFoundation's functions take
/// an `NSString` for a string of theirs. This name stands before CoreFoundation's class in every file that does not
/// import CoreFoundation itself.
public typealias CFString = NSString

/// What ``SCCopyLastError()`` returns: an error one can throw, as on Apple's systems.
public typealias CFError = NSError

extension CoreFoundation.CFString {
    /// `CFRunLoopMode.commonModes`; CFRunLoopMode is a name of CoreFoundation's string class on Linux.
    public static var commonModes: CoreFoundation.CFString { kCFRunLoopCommonModes }

    /// `CFRunLoopMode.defaultMode`.
    public static var defaultMode: CoreFoundation.CFString { kCFRunLoopDefaultMode }

    /// The mode as a string, as `SCNetworkReachabilityScheduleWithRunLoop(_:_:_:)` takes it.
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
    /// `RunLoop.Mode.common as CFString` works on Apple's systems, where every such type is bridged.
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
