// SPDX-License-Identifier: Apache-2.0

import Foundation

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

    static let keys: Set<String> = [
        "target", "flags", "names", "reachable", "interface", "gateway", "source", "addresses", "answered_by", "code",
        "reason",
    ]

    struct WrongKeys: Error {
        let keys: [String]
    }

    init(_ line: some StringProtocol) throws {
        self = try JSONDecoder.ofLines.decode(Self.self, from: Data(line.utf8))
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        guard Set(object.keys).subtracting(["time", "after"]) == Self.keys else {
            throw WrongKeys(keys: object.keys.sorted())
        }
    }
}

/// What `path --json` prints.
struct PathLine: Decodable {
    struct Interface: Decodable {
        var name: String
        var leadsOut: Bool
        var addresses: [String]
        var gateways: [String]
        var code: String
        var reason: String
    }

    var status: String
    var ipv4: Bool
    var ipv6: Bool
    var expensive: Bool
    var constrained: Bool
    var connectivity: String
    var interfaces: [Interface]
    var code: String
    var reason: String
    var identity: UInt64?

    init(_ line: String) throws {
        self = try JSONDecoder.ofLines.decode(Self.self, from: Data(line.utf8))
    }
}

extension JSONDecoder {
    fileprivate static var ofLines: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}
