// SPDX-License-Identifier: Apache-2.0
//
// Primary interface as an AsyncStream, from a dynamic store session on a dispatch queue.
// Swift 6 language mode; compile with -parse-as-library.
//
// Usage:    01_primary_stream [count]               (stop after so many states; default: never)
// Expected: en0 via 192.0.2.1
// Address removed or cable pulled:
//           offline
// Back again: "en0 via 192.0.2.1". Equal states in a row are printed once.

import Foundation
import SystemConfiguration

struct Primary: Sendable, Equatable, CustomStringConvertible {
    var interface: String
    var router: String?

    var description: String { "\(interface) via \(router ?? "no router")" }
}

final class PrimaryWatcher: @unchecked Sendable {
    enum Failure: Error { case status(Int32, String) }

    // All use of the store is on this queue.
    private let queue = DispatchQueue(label: "test.example.primary-watcher")
    private var store: SCDynamicStore?
    private let continuation: AsyncStream<Primary?>.Continuation
    let states: AsyncStream<Primary?>

    private static let keys = ["State:/Network/Global/IPv4"]

    init() throws {
        (states, continuation) = AsyncStream.makeStream(of: Primary?.self, bufferingPolicy: .unbounded)

        var context = SCDynamicStoreContext(
            version: 0,
            info: Unmanaged.passUnretained(self).toOpaque(),
            retain: { info in
                UnsafeRawPointer(Unmanaged<PrimaryWatcher>.fromOpaque(info).retain().toOpaque())
            },
            release: { info in
                Unmanaged<PrimaryWatcher>.fromOpaque(info).release()
            },
            copyDescription: nil)
        let created = SCDynamicStoreCreate(
            nil, "primary-watcher" as CFString,
            { store, _, info in
                guard let info else { return }
                let watcher = Unmanaged<PrimaryWatcher>.fromOpaque(info).takeUnretainedValue()
                watcher.continuation.yield(PrimaryWatcher.read(store))
            }, &context)

        guard let created,
            SCDynamicStoreSetNotificationKeys(created, Self.keys as CFArray, nil),
            SCDynamicStoreSetDispatchQueue(created, queue)
        else {
            let code = SCError()
            throw Failure.status(code, String(cString: SCErrorString(code)))
        }
        queue.sync {
            store = created
            continuation.yield(Self.read(created))
        }
    }

    func cancel() {
        queue.sync {
            if let store { SCDynamicStoreSetDispatchQueue(store, nil) }
            store = nil  // breaks the cycle through the context
        }
        continuation.finish()
    }

    private static func read(_ store: SCDynamicStore) -> Primary? {
        guard let value = SCDynamicStoreCopyValue(store, keys[0] as CFString) as? [String: Any],
            let interface = value["PrimaryInterface"] as? String
        else { return nil }
        return Primary(interface: interface, router: value["Router"] as? String)
    }
}

@main
struct Main {
    static func main() async throws {
        var left = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? .max
        let watcher = try PrimaryWatcher()
        var last: Primary??
        for await state in watcher.states {
            if let last, last == state { continue }
            last = .some(state)
            print(state?.description ?? "offline")
            fflush(nil)
            left -= 1
            if left == 0 { watcher.cancel() }
        }
        print("end")
    }
}
