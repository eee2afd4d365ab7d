// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

@_implementationOnly import CReachabilityTesting

/// The file in which this process's resolver finds its name servers (resolv.conf(5)).
enum ResolverFile {
    private static let servers = Lock<[String]>([])

    /// The file is mounted over /etc/resolv.conf in a test's own process. Nil in another process, which must not write the real
    /// file.
    private static var path: String? { reachability_testing_is_own_network() != 0 ? "/etc/resolv.conf" : nil }

    /// Adds a name server.
    static func add(_ address: String) throws(MachineError) {
        guard let path else { return }
        let lines = servers.withLock { servers in
            if !servers.contains(address) { servers.append(address) }
            return servers.map { "nameserver \($0)\n" }.joined()
        }
        try CallingThread.writeFile(path, lines, to: "name \(address) in \(path)")
    }

    /// The name servers that this process's resolver asks, and the other lines that have an effect.
    static var lines: [String] {
        let text = String(decoding: (try? Files.contents(of: "/etc/resolv.conf")) ?? [], as: UTF8.self)
        return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") && !$0.hasPrefix(";") }
    }
}
