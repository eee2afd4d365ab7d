// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

let name = CommandLine.arguments.dropFirst().first ?? "www.swift.org"
do {
    let host = try ReachabilityRef(hostname: name)
    let answer = try host.explain()  // an address takes microseconds; a name blocks the thread, for 5 s at most
    print("\(name): \(answer.flags)")
    if !answer.flags.isReachable { print(answer) }  // the route, the link, and why each flag is set
} catch {
    print(error)  // what is wrong with the name, or why the kernel could not be asked
}
