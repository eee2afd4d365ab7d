// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

let name = CommandLine.arguments.dropFirst().first ?? "www.swift.org"
let host = try ReachabilityRef(hostname: name)
let flags = try host.getFlags()  // of a name in at most 5 s, of an address in microseconds
print("\(name): \(flags)")
if !flags.isReachable {
    print(try host.explain())  // the route, the link, and why each flag is set
}
