// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

let name = CommandLine.arguments.dropFirst().first ?? "www.swift.org"
do {
    let host = try ReachabilityRef(hostname: name)
    let answer = try host.explain()  // blocks for a name, for 5 s at most
    print("\(name): \(answer.flags)")
    if !answer.flags.isReachable { print(answer) }  // the reason of each flag
} catch {
    print(error)
}
