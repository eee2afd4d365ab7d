// SPDX-License-Identifier: Apache-2.0

import Network
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import SystemConfigurationCore

/// Runs the steps of one row, and prints each result at once.
struct RowRun {
    private let row: Row
    private let witness: Witness
    /// The flags and the link of the watched target since the last callback.
    private var flags: ReachabilityFlags
    private var link: InterfaceIndex?
    private var complaints: [String] = []

    /// Returns whether everything was as expected. Ends at the first failure, because later results would depend on it.
    static func isGood(_ row: Row) -> Bool {
        do {
            var run = try RowRun(row)
            for step in row.steps {
                try run.take(step)
                if !run.complaints.isEmpty { break }
            }
            return run.complaints.isEmpty
        } catch {
            print("  ✘ \(row.name): \(error)")
            return false
        }
    }

    private init(_ row: Row) throws {
        self.row = row
        try shell(row.given)
        witness = try Witness(watching: row.watched)
        flags = try witness.reference.getFlags()
        link = try witness.reference.currentVerdict().interface
    }

    private mutating func take(_ step: Step) throws {
        let identity = witness.identity
        try shell(step.commands)
        let most = max(step.calls.count, step.alternative?.count ?? 0)
        let calls = try witness.takeCalls { step.allows($0) || $0.count > most }
        flags = step.calls.last ?? flags
        if step.allows(calls) { witness.waitForPath(step.path) }
        guard let path = witness.path else { throw Failure("the monitor told no path") }
        let way = Way(path)

        if !step.allows(calls) { expect("callbacks", step.calls, calls) }
        expect("the answer for \(row.watched)", flags, try witness.reference.getFlags())
        expect("the path", step.path, way)
        expect("whether data costs", step.path.isCellular, path.isExpensive)
        for (question, expected) in step.answers {
            expect("the answer for \(question)", expected, try question.flags())
        }
        for (interface, expected) in step.wireless {
            expect("the Wi-Fi network of \(interface)", expected, try wirelessNetwork(of: interface))
        }
        let link = try witness.reference.currentVerdict().interface
        if let isAnother = step.isAnotherIdentity {
            if isAnother { witness.waitForIdentity(otherThan: identity) }
            expect("another identity", isAnother, witness.identity != identity)
        }
        if step.isAnotherLink { expect("another link", true, link != self.link) }
        if link != nil { self.link = link }

        let told = calls.isEmpty ? "no callback" : calls.map(\.hexadecimal).joined(separator: ", ")
        print("  \(complaints.isEmpty ? "✔" : "✘") \(row.name): \(step.title): \(told); \(way)")
        guard !complaints.isEmpty else { return }
        for complaint in complaints { print("      \(complaint)") }
        // Background programs of all rows write their logs there.
        if let log = try? Files.contents(of: "/tmp/log") { print(String(decoding: log, as: UTF8.self)) }
    }

    private mutating func expect<Value: Equatable>(_ what: String, _ expected: Value, _ seen: Value) {
        if seen != expected { complaints.append("\(what): expected \(expected), saw \(seen)") }
    }
}

/// What nl80211 says of an interface.
private func wirelessNetwork(of name: String) throws -> String {
    guard let index = try Interfaces.index(of: name).flatMap(InterfaceIndex.init) else {
        throw Failure("no interface \(name)")
    }
    guard let network = try WirelessRequester().network(of: index) else { return "" }
    let accessPoint = network.accessPoint.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    return "\(String(decoding: network.name, as: UTF8.self)) \(accessPoint.joined(separator: ":"))"
}

extension ReachabilityFlags {
    fileprivate var hexadecimal: String { "0x" + String(rawValue, radix: 16) }
}
