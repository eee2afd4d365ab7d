// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

let name = CommandLine.arguments.dropFirst().first ?? "www.swift.org"
do {
    let host = try ReachabilityRef(hostname: name)
    let flags = try await host.flags()  // a name may take 5 s; getFlags() blocks the thread meanwhile
    print("\(name): \(flags)")
} catch {
    print(error)
}
