// SPDX-License-Identifier: Apache-2.0
//
// VPN watcher: patterns, snapshot by CopyMultiple, differences computed in an actor.
// Swift 6 language mode; compile with -parse-as-library.
//
// Usage:    04_vpn_watcher
// Expected: up   service:<UUID> en0 192.0.2.10
// A tunnel that comes up with 10.8.0.2:
//           up   interface:utun4 utun4 10.8.0.2     (tun0, wg0... accordingly)
//           up   service:<UUID> utun4 10.8.0.2      (if the VPN publishes a service)
// Address removed from en0, or cable pulled:
//           down service:<UUID> en0
// Runs until killed.

import Foundation
import SystemConfiguration

struct Endpoint: Sendable, Hashable {
    let id: String
    let interface: String
    let addresses: [String]
}

typealias Snapshot = [String: Endpoint]

actor Ledger {
    private var known: Snapshot = [:]

    func apply(_ new: Snapshot) {
        for (id, gone) in known.sorted(by: { $0.key < $1.key }) where new[id] == nil {
            print("down \(id) \(gone.interface)")
        }
        for (id, endpoint) in new.sorted(by: { $0.key < $1.key }) where known[id] != endpoint {
            print("up   \(id) \(endpoint.interface) \(endpoint.addresses.joined(separator: ","))")
        }
        known = new
        fflush(nil)
    }
}

final class SnapshotSource: @unchecked Sendable {
    static let patterns = [
        "State:/Network/Interface/(utun|ppp|tun|wg)[^/]*/IPv4",
        "State:/Network/Service/[^/]+/IPv4",
    ]
    private let queue = DispatchQueue(label: "snapshots")
    private let continuation: AsyncStream<Snapshot>.Continuation

    init(_ continuation: AsyncStream<Snapshot>.Continuation) { self.continuation = continuation }

    static func stream() -> AsyncStream<Snapshot> {
        AsyncStream { continuation in
            let source = SnapshotSource(continuation)
            if !source.open() {
                print("cannot watch: \(String(cString: SCErrorString(SCError())))")
                continuation.finish()
            }
        }
    }

    private func open() -> Bool {
        // the store keeps the source alive: retained here once, never released
        var context = SCDynamicStoreContext(
            version: 0, info: Unmanaged.passRetained(self).toOpaque(),
            retain: nil, release: nil, copyDescription: nil)
        guard
            let store = SCDynamicStoreCreate(
                kCFAllocatorDefault, "vpn" as CFString,
                { store, _, info in
                    Unmanaged<SnapshotSource>.fromOpaque(info!).takeUnretainedValue().publish(store)
                }, &context)
        else { return false }
        guard SCDynamicStoreSetNotificationKeys(store, nil, Self.patterns as CFArray),
            SCDynamicStoreSetDispatchQueue(store, queue)
        else { return false }
        publish(store)
        _ = Unmanaged.passRetained(store)
        return true
    }

    private func publish(_ store: SCDynamicStore) {
        let all = SCDynamicStoreCopyMultiple(store, nil, Self.patterns as CFArray) as? [String: [String: Any]] ?? [:]
        var snapshot: Snapshot = [:]
        for (key, value) in all {
            let parts = key.split(separator: "/").map(String.init)  // State: Network Interface utun4 IPv4
            guard parts.count == 5 else { continue }
            let id = "\(parts[2].lowercased()):\(parts[3])"
            snapshot[id] = Endpoint(
                id: id,
                interface: value[kSCPropInterfaceName as String] as? String ?? parts[3],
                addresses: value[kSCPropNetIPv4Addresses as String] as? [String] ?? [])
        }
        continuation.yield(snapshot)
    }
}

@main
enum VPNWatcher {
    static func main() async {
        let ledger = Ledger()
        for await snapshot in SnapshotSource.stream() {
            await ledger.apply(snapshot)
        }
    }
}
