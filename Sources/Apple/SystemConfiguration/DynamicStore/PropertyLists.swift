// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import Foundation
import SystemConfigurationCore

extension PropertyValue {
    /// The value as Foundation's classes.
    var object: NSObject {
        switch self {
        case .string(let string): string as NSString
        case .number(let number): NSNumber(value: number)
        case .boolean(let value): NSNumber(value: value)
        case .data(let bytes): Data(bytes) as NSData
        case .array(let elements): Self.array(elements)
        case .dictionary(let members): Self.dictionary(members)
        }
    }

    static func array(_ elements: [PropertyValue]) -> NSArray {
        elements.map(\.object) as NSArray
    }

    static func dictionary(_ members: [String: PropertyValue]) -> NSDictionary {
        let dictionary = NSMutableDictionary()
        for (key, value) in members { dictionary[key as NSString] = value.object }
        // A copy, which clients cannot change.
        return dictionary.copy() as? NSDictionary ?? dictionary
    }
}

extension NSArray {
    /// The elements, if all of them are strings.
    var strings: [String]? {
        let strings = compactMap { $0 as? String }
        return strings.count == count ? strings : nil
    }
}
