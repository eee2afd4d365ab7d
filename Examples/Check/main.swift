// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

let name = CommandLine.arguments.dropFirst().first ?? "www.swift.org"
do {
    let host = try ReachabilityRef(hostname: name)
    let flags = try host.getFlags()  // may block for 5 s while a name is resolved; await host.flags() blocks no thread
    print("\(name): \(flags)")
} catch {
    print(error)
}
