// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReachabilityLinuxSystem
import SystemConfiguration
import TestTopology
import Testing

/// Compares what this package declares, in Swift and in C, with a list of the names in Apple's headers.
@Suite("The names of Apple's headers", .timeLimit(.minutes(10)))
struct DeclaredNameTests {
    private struct Name {
        let kind: Substring
        let name: Substring
        let value: Substring
    }

    private let names: [Name]
    private let swift: String
    private let headers: String

    init() throws {
        func texts(_ folder: String, _ suffix: String) throws -> String {
            let path = "\(BuiltProduct.package)/Sources/\(folder)"
            return try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(suffix) }
                .map { try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8) }.joined()
        }
        swift = try texts("Apple/SystemConfiguration", ".swift")
        headers = try texts("Bindings/CSystemConfigurationHeaders", ".h")
        let list = "\(BuiltProduct.package)/Tests/Fixtures/Names/SystemConfiguration.txt"
        names = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 2)
            return line.hasPrefix("#")
                ? nil : Name(kind: words[0], name: words[1], value: words.count > 2 ? words[2] : "")
        }
    }

    private var namesInC: [Name] {
        names.filter { name in
            name.kind != "string"
                && !["DynamicStore", "DHCP", "SCNetworkInterface"].contains { name.name.contains($0) }
        }
    }

    @Test("are declared in Swift, with Apple's literals")
    func inSwift() {
        #expect(names.count > 150)
        let declarations = names.map { name in
            switch name.kind {
            case "string": "public var \(name.name): CFString { \"\(name.value)\" as NSString }"
            case "number": "public let \(name.name) = \(name.value)\n"
            case "bit": "public let \(name.name)"
            default: "public func \(name.name)("
            }
        }
        #expect(declarations.filter { !swift.contains($0) } == [])
    }

    @Test("of reachability and of statuses are declared in C, with Apple's literals")
    func inC() {
        let declarations = namesInC.map { name in
            switch name.kind {
            case "number": " \(name.name) = \(name.value)"
            case "bit": " \(name.name) = "
            default: "\(name.name)("
            }
        }
        #expect(declarations.filter { !headers.contains($0) } == [])
    }

    @Test("have Apple's bits")
    func bits() {
        let flags: [(SCNetworkReachabilityFlags, Int)] = [
            (kSCNetworkReachabilityFlagsTransientConnection, 0), (kSCNetworkReachabilityFlagsReachable, 1),
            (kSCNetworkReachabilityFlagsConnectionRequired, 2), (kSCNetworkReachabilityFlagsConnectionOnTraffic, 3),
            (kSCNetworkReachabilityFlagsInterventionRequired, 4), (kSCNetworkReachabilityFlagsConnectionOnDemand, 5),
            (kSCNetworkReachabilityFlagsIsLocalAddress, 16), (kSCNetworkReachabilityFlagsIsDirect, 17),
            (kSCNetworkReachabilityFlagsIsWWAN, 18),
        ]
        for (flag, bit) in flags { #expect(flag.rawValue == 1 << bit) }
    }

    @Test("of functions are exported by the library")
    func exported() throws {
        let listed = try CallingThread.execute([
            "nm", "-D", "--defined-only", "\(BuiltProduct.folder)/libCSystemConfiguration.so",
        ])
        let symbols = Set(listed.split(separator: "\n").compactMap { $0.split(separator: " ").last })
        for name in namesInC where name.kind == "function" { #expect(symbols.contains(name.name), "\(name.name)") }
    }

    /// The sentences themselves are in `CallTests`.
    @Test("of statuses have a sentence each, and every number that is none has the one for that")
    func sentences() {
        let statuses = Set(names.filter { $0.name.hasPrefix("kSCStatus") }.compactMap { Int32($0.value) })
        func sentence(_ status: Int32) -> String { String(cString: SCErrorString(status)) }
        #expect(statuses.count == 20 && Set(statuses.map(sentence)).count == statuses.count)
        for status in [Int32.min, -1, .max] + Array(0...6000) where !(1...133).contains(status) {
            #expect((sentence(status) == "Unknown error") == !statuses.contains(status), "\(status)")
        }
        for error in 1...Int32(133) { #expect(sentence(error) == String(cString: strerror(error))) }
    }
}
