// SPDX-License-Identifier: Apache-2.0
//
// Watches the computer's names with an actor; Swift 6 language mode.
//
// Usage:    03_hostnames [seconds]            (default 0: print once and end)
// Expected: computer=box local=box encoding=UTF-8 location=<UUID or -> console=jane(501:20)
// (console=- if nobody is logged in at the screen)
// While it waits, a new name set with `scutil --set LocalHostName crate` prints
//           changed Setup:/Network/HostNames
//           computer=box local=crate ...
// A removed address or a pulled cable prints nothing.

import Foundation
import SystemConfiguration

struct Identity: Sendable {
    var computer: String?
    var encoding: CFStringEncoding
    var local: String?
    var location: String?
    var console: String?

    static func read() -> Identity {
        var encoding: CFStringEncoding = kCFStringEncodingInvalidId
        let computer = SCDynamicStoreCopyComputerName(nil, &encoding) as String?
        var uid = uid_t.max, gid = gid_t.max
        let user = SCDynamicStoreCopyConsoleUser(nil, &uid, &gid) as String?
        return Identity(
            computer: computer,
            encoding: encoding,
            local: SCDynamicStoreCopyLocalHostName(nil) as String?,
            location: SCDynamicStoreCopyLocation(nil) as String?,
            console: user.map { "\($0)(\(uid):\(gid))" })
    }

    var line: String {
        let encodingName =
            switch encoding {
            case CFStringBuiltInEncodings.UTF8.rawValue: "UTF-8"
            case CFStringBuiltInEncodings.macRoman.rawValue: "MacRoman"
            default: String(encoding)
            }
        return "computer=\(computer ?? "-") local=\(local ?? "-") encoding=\(encodingName) "
            + "location=\(location ?? "-") console=\(console ?? "-")"
    }
}

actor NameBoard {
    private var reports = 0

    func show(changed keys: [String] = []) {
        for key in keys.sorted() { print("changed \(key)") }
        print(Identity.read().line)
        fflush(nil)
        reports += 1
    }

    var count: Int { reports }
}

/// The C callback gets the board through the context pointer.
func openSession(board: NameBoard, queue: DispatchQueue) -> SCDynamicStore? {
    var context = SCDynamicStoreContext()
    context.info = Unmanaged.passUnretained(board).toOpaque()
    guard
        let store = SCDynamicStoreCreate(
            nil, "names" as CFString,
            { _, keys, info in
                let board = Unmanaged<NameBoard>.fromOpaque(info!).takeUnretainedValue()
                let names = keys as? [String] ?? []
                Task { await board.show(changed: names) }
            }, &context)
    else { return nil }

    let keys = [
        SCDynamicStoreKeyCreateComputerName(nil), SCDynamicStoreKeyCreateHostNames(nil),
        SCDynamicStoreKeyCreateLocation(nil), SCDynamicStoreKeyCreateConsoleUser(nil),
    ]
    guard SCDynamicStoreSetNotificationKeys(store, keys as CFArray, nil) else { return nil }
    return SCDynamicStoreSetDispatchQueue(store, queue) ? store : nil
}

let board = NameBoard()
await board.show()
if let seconds = CommandLine.arguments.dropFirst().first.flatMap({ Double($0) }) {
    guard let store = openSession(board: board, queue: DispatchQueue(label: "names")) else {
        fatalError(String(cString: SCErrorString(SCError())))
    }
    try await Task.sleep(for: .seconds(seconds))
    SCDynamicStoreSetDispatchQueue(store, nil)
    print("\(await board.count) report(s)")
}
