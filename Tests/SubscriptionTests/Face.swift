// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import Network
import ReachabilityKit
import SystemConfiguration
import TestTopology
import Testing

/// A way in which programs are told on a queue whether packets leave for 192.0.2.1.
struct Face: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether it begins with the present state.
    var tellsFirst = true
    /// Whether it tells states. A store tells which keys have changed, also if their values are the same again.
    var tellsStates = true
    /// Begins to tell, and returns what ends that.
    let start: @Sendable (Machine, DispatchQueue, @escaping @Sendable (Bool) -> Void) throws -> () -> Void

    static let all = [
        Face(testDescription: "ReachabilityRef.setCallback", tellsFirst: false) { machine, queue, tell in
            let reference = try machine.run { try ReachabilityRef(address: "192.0.2.1") }
            reference.setCallback { tell($0.isReachable) }
            try reference.setDispatchQueue(queue)
            return { try? reference.setDispatchQueue(nil) }
        },
        Face(testDescription: "ReachabilityRef.observe") { machine, queue, tell in
            let reference = try machine.run { try ReachabilityRef(address: "192.0.2.1") }
            let observation = try reference.observe(on: queue) { tell($0.isReachable) }
            return observation.cancel
        },
        Face(testDescription: "SCNetworkReachability", tellsFirst: false) { machine, queue, tell in
            let target = try #require(machine.run { unsafe SCNetworkReachabilityCreateWithName(nil, "192.0.2.1") })
            unsafe SCNetworkReachabilitySetCallback(target, { _, flags, _ in tell(flags.contains(.reachable)) }, nil)
            try #require(SCNetworkReachabilitySetDispatchQueue(target, queue))
            return { SCNetworkReachabilitySetDispatchQueue(target, nil) }
        },
        Face(testDescription: "SCDynamicStore", tellsFirst: false, tellsStates: false) {
            machine, queue, tell in
            let key = "State:/Network/Global/IPv4"
            let store = try #require(
                machine.run {
                    unsafe SCDynamicStoreCreate(
                        nil, "test" as CFString,
                        { store, _, _ in tell(SCDynamicStoreCopyValue(store, key as CFString) != nil) }, nil)
                })
            try #require(SCDynamicStoreSetNotificationKeys(store, [key] as CFArray, nil))
            try #require(SCDynamicStoreSetDispatchQueue(store, queue))
            return {
                SCDynamicStoreSetDispatchQueue(store, nil)
                SCDynamicStoreSetNotificationKeys(store, nil, nil)
            }
        },
        Face(testDescription: "NWPathMonitor") { machine, queue, tell in
            let monitor = machine.run { NWPathMonitor() }
            monitor.pathUpdateHandler = { tell($0.status == .satisfied) }
            machine.run { monitor.start(queue: queue) }
            return monitor.cancel
        },
        Face(testDescription: "SocketFate.setHandler") { machine, queue, tell in
            let socket = machine.run { ConnectedSocket(to: "192.0.2.1", by: .udp, from: "10.0.0.1") }
            _ = socket.connect(port: 9)
            let fate = try machine.run { try SocketFate(of: socket.descriptor) }
            try fate.setHandler(on: queue) { tell($0.fate == .viable) }
            return { withExtendedLifetime(socket) { try? fate.setHandler(on: queue, nil) } }
        },
    ]
}

/// An asynchronous sequence that tells the same.
struct SequenceFace: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Returns what waits for the next state.
    let begin: @Sendable (Machine) throws -> Reading

    typealias Reading = () async throws -> Bool?

    private init<Value>(
        _ name: String, _ make: @escaping @Sendable (Machine) throws -> NetworkChanges<Value>,
        _ isUp: @escaping @Sendable (Value) -> Bool
    ) {
        testDescription = name
        begin = { machine in
            var iterator = try make(machine).makeAsyncIterator()
            return { try await iterator.next().map(isUp) }
        }
    }

    static let all = [
        SequenceFace(
            "ReachabilityRef.flagChanges",
            { machine in try machine.run { try ReachabilityRef(address: "192.0.2.1") }.flagChanges }, \.isReachable),
        SequenceFace(
            "NetworkPath.changes", { machine in machine.run { NetworkPath.changes } }, { $0.status == .satisfied }),
        SequenceFace(
            "RequestGate.obstacles",
            { machine in try RequestGate(to: machine.run { try ReachabilityRef(address: "192.0.2.1") }).obstacles },
            \.isEmpty),
    ]
}
