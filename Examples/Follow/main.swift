// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit

let host = try ReachabilityRef(hostname: CommandLine.arguments.dropFirst().first ?? "www.swift.org")
host.setCallback { flags in print("called back:", flags) }  // on every change of this host's answer
try host.setDispatchQueue(.main)  // pass nil to stop

try await host.waitUntilReachable(timeout: .seconds(30))
for await flags in host.flagChanges {  // the same as a sequence, the present answer first
    print("in the sequence:", flags)
}
