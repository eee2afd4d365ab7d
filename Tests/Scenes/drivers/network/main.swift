// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Network
import ReachabilityKit

/// The scenes' driver for NWPathMonitor, which knows the default path alone. The fence, an address, is watched by a reference:
/// the same look of the engine serves both, and both tell on one queue, in the order of the changes.

/// One write(2), so that lines of several threads do not mix.
@Sendable func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

@Sendable func text(_ path: NWPath) -> String {
    let interfaces = path.availableInterfaces.map(\.name)
    let gateways = path.gateways.map { gateway in
        guard case .hostPort(let host, _) = gateway else { return "\(gateway)" }
        // Without its zone.
        return String("\(host)".prefix { $0 != "%" })
    }
    func list(_ words: [String]) -> String { words.isEmpty ? "none" : words.joined(separator: ",") }
    return "status=\(path.status) interface=\(interfaces.first ?? "none") gateway=\(gateways.first ?? "none") "
        + "interfaces=\(list(interfaces)) gateways=\(list(gateways))"
}

let queue = DispatchQueue(label: "updates")
var monitors: [NWPathMonitor] = []
var references: [ReachabilityRef] = []

while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    switch (words[0], words[1]) {
    case ("ask", "default"):
        for await path in NWPathMonitor() {
            say("answer \(text(path))")
            break
        }
    case ("watch", "default"):
        let monitor = NWPathMonitor()
        monitor.pathUpdateHandler = { say("told monitor default -> \(text($0))") }
        monitor.start(queue: queue)
        monitors.append(monitor)
        say("watching default")
    case ("watch", let address):
        let reference = try ReachabilityRef(address: address)
        reference.setCallback { say("told monitor \(address) -> flags=\($0.rawValue)") }
        try reference.setDispatchQueue(queue)
        references.append(reference)
        say("watching \(address)")
    default: fatalError("not for this driver: \(line)")
    }
}
exit(0)
