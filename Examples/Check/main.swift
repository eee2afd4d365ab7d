// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

let name = CommandLine.arguments.dropFirst().first ?? "www.swift.org"
let host = try ReachabilityRef(hostname: name)
let flags = try host.getFlags()  // a name takes at most 5 s by default, an address microseconds
print("\(name): \(flags)")
if !flags.isReachable {
    print(try host.explain())  // the route, the link, and why each flag is set
}
