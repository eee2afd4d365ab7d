// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A line of `--json`, parsed by Foundation. It must have every key and no other.
struct AnswerLine: Decodable, Equatable {
    var time: String?
    var target: String
    var flags: UInt32
    var names: [String]
    var reachable: Bool
    var interface: String?
    var gateway: String?
    var source: String?
    var addresses: [String]
    var answeredBy: String
    var code: String
    var reason: String
    var after: [String]?

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    static let keys: Set<String> = [
        "target", "flags", "names", "reachable", "interface", "gateway", "source", "addresses", "answered_by", "code",
        "reason",
    ]

    struct WrongKeys: Error {
        let keys: [String]
    }

    init(_ line: String) throws {
        self = try JSONDecoder().decode(AnswerLine.self, from: Data(line.utf8))
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        let keys = Set(object.allKeys.map(\.stringValue))
        guard keys.subtracting(["time", "after"]) == Self.keys else { throw WrongKeys(keys: keys.sorted()) }
        func key(_ name: String) -> Key { Key(stringValue: name) }
        time = try object.decodeIfPresent(String.self, forKey: key("time"))
        target = try object.decode(String.self, forKey: key("target"))
        flags = try object.decode(UInt32.self, forKey: key("flags"))
        names = try object.decode([String].self, forKey: key("names"))
        reachable = try object.decode(Bool.self, forKey: key("reachable"))
        interface = try object.decode(String?.self, forKey: key("interface"))
        gateway = try object.decode(String?.self, forKey: key("gateway"))
        source = try object.decode(String?.self, forKey: key("source"))
        addresses = try object.decode([String].self, forKey: key("addresses"))
        answeredBy = try object.decode(String.self, forKey: key("answered_by"))
        code = try object.decode(String.self, forKey: key("code"))
        after = try object.decodeIfPresent([String].self, forKey: key("after"))
        reason = try object.decode(String.self, forKey: key("reason"))
    }
}
