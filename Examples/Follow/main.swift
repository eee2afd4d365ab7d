// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import ReachabilityKit

@Sendable func say(_ text: String) {
    print(text)
    fflush(nil)  // a pipe gets it now, not when the buffer is full
}
do {
    let host = try ReachabilityRef(hostname: CommandLine.arguments.dropFirst().first ?? "www.swift.org")
    say("now: \(try await host.flags())")  // blocks no thread while the name is resolved
    host.setCallback { flags in say("called back: \(flags)") }  // at each change; for a name also at first
    try host.setDispatchQueue(.main)  // pass nil to stop

    try await host.waitUntilReachable(timeout: .seconds(30))
    for try await flags in host.flagChanges {  // the same as a sequence, the present answer first
        say("in the sequence: \(flags)")
    }
} catch {
    say("\(error)")
}
