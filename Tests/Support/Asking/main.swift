// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import ReachabilityKit
import Synchronization
import TestTopology

/// asking again|first|changed TARGET: asks for the flags of a target between two calls of getppid(2), for somebody who
/// counts what is called in between. `again` while the answer is kept, `first` of a reference that has not been asked
/// yet, with the sockets open, and `changed` after a route to elsewhere has changed. Prints the flags' number.
let words = CommandLine.arguments

func reference(_ target: String) throws -> ReachabilityRef {
    try ReachabilityRef(text: TargetText(target), options: ReachabilityOptions())
}

/// Asks until the answer is kept. What is asked while links are still being set up is not, and an IPv6 route may have
/// less than a clock tick left, so that its answer is asked for once more after two.
func settle(_ reference: ReachabilityRef) throws {
    let end = SystemTime().now().advanced(by: .milliseconds(3 * 1000 / clockTicksPerSecond))
    while SystemTime().now() < end { _ = try reference.getFlags() }
}

guard words.count == 3 else { exit(64) }
let known = try reference(words[2])
// What is counted here is not what is asked while a route that was announced may not be found yet.
try known.namespace.kernel().lookupDelay.store(0, ordering: .relaxed)
try settle(known)
let asked = words[1] == "first" ? try reference(words[2]) : known
if words[1] == "changed" { try CallingThread.ip("route replace 192.0.2.0/24 via 10.0.0.254") }

_ = getppid()
let flags = try asked.getFlags()
_ = getppid()
print(flags.rawValue)
