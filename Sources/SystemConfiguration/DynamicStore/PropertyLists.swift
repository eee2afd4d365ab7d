// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import DynamicStore
import Foundation

extension PropertyValue {
    /// The value as Foundation's classes.
    var object: AnyObject {
        switch self {
        case .string(let string): string as NSString
        case .number(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .boolean(let value): NSNumber(value: value)
        case .data(let bytes): Data(bytes) as NSData
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds) as NSDate
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

    /// The value of a property list. Nil if it contains something else, or is nested without end.
    init?(_ object: Any, depth: Int = 0) {
        guard depth < 512 else { return nil }
        switch object {
        case let string as String: self = .string(string)
        case let number as NSNumber: self.init(number)
        case let data as Data: self = .data(Array(data))
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let array as NSArray:
            var elements: [PropertyValue] = []
            for element in array {
                guard let value = PropertyValue(element, depth: depth + 1) else { return nil }
                elements.append(value)
            }
            self = .array(elements)
        case let dictionary as NSDictionary:
            guard let members = Self.members(of: dictionary, depth: depth) else { return nil }
            self = .dictionary(members)
        default: return nil
        }
    }

    private init(_ number: NSNumber) {
        // The type of CFBoolean, as NSNumber has no class for truth values here.
        if CFGetTypeID(number) == CFBooleanGetTypeID() {
            self = .boolean(number.boolValue)
        } else if ["f", "d"].contains(unsafe String(cString: number.objCType)) {
            self = .real(number.doubleValue)
        } else {
            self = .number(number.int64Value)
        }
    }

    /// The members of a dictionary whose keys are strings. Nil if a key or a value is none of a property list's.
    static func members(of dictionary: NSDictionary, depth: Int = 0) -> [String: PropertyValue]? {
        var members: [String: PropertyValue] = [:]
        for (key, value) in dictionary {
            guard let key = key as? String, let value = PropertyValue(value, depth: depth + 1) else { return nil }
            members[key] = value
        }
        return members
    }
}

extension NSArray {
    /// The elements, if all of them are strings.
    var strings: [String]? {
        let strings = compactMap { $0 as? String }
        return strings.count == count ? strings : nil
    }
}
