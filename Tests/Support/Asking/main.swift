// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import Synchronization
import TestTopology

/// asking again|first|changed TARGET: asks for the flags of a target between two calls of getppid(2), so that the caller can
/// count the system calls in between. `again`: the answer is kept. `first`: the reference is new, with the sockets open.
/// `changed`: another route has changed. Prints the flags as a number.
let words = CommandLine.arguments

func reference(_ target: String) throws -> ReachabilityRef {
    try ReachabilityRef(text: TargetText(target), options: ReachabilityOptions())
}

/// Asks until the answer is kept: at the second question, or where a route may be in its last clock tick, two ticks later.
func settle(_ reference: ReachabilityRef) throws {
    try WaitLimit.wait(for: "the answer to be kept") {
        _ = try reference.getFlags()
        return reference.keptFlags != nil
    }
}

guard words.count == 3 else { exit(64) }
let known = try reference(words[2])
// IPv6 answers are kept at once: the questions shortly after an announcement are not counted here.
try known.namespace.kernel().freshness!.lookupDelay.store(0, ordering: .relaxed)
try settle(known)
let asked = words[1] == "first" ? try reference(words[2]) : known
if words[1] == "changed" { try CallingThread.ip("route replace 192.0.2.0/24 via 10.0.0.254") }

_ = getppid()
let flags = try asked.getFlags()
_ = getppid()
print(flags.rawValue)
