// SPDX-License-Identifier: Apache-2.0

import CSystemCallFaults
import Glibc
import ReachabilityLinuxSystem
import TestTopology

/// sweep WORKLOAD COUNT [SEED]: makes each system call of a workload fail once with each of its errors, as many of these pairs as
/// COUNT, chosen at random; all of them if that is 0. Ends with 1 if an outcome was wrong, something leaked, or the next
/// question was wrong. `sweep list` names the workloads, and `sweep all COUNT [SEED]` runs each in a process of its own.
let words = CommandLine.arguments.dropFirst().map(\.self)
if words == ["list"] {
    for workload in Workload.all { say(workload.name) }
    exit(0)
}
if words.first == "all" {
    var areAllRight = true
    for workload in Workload.all {
        do {
            let arguments = [BuiltProduct.path("sweep"), workload.name] + words.dropFirst()
            say(String(try CallingThread.execute(arguments).dropLast()))
        } catch {
            say("\(error)")
            areAllRight = false
        }
    }
    exit(areAllRight ? 0 : 1)
}
guard (2...3).contains(words.count), let workload = Workload.all.first(where: { $0.name == words[0] }),
    let count = Int(words[1]), let seed = words.count == 2 ? .random(in: 1...999_999) : UInt64(words[2])
else {
    say("usage: sweep list | all COUNT [SEED] | WORKLOAD COUNT [SEED]")
    exit(64)
}

do {
    // What a test does beside its workload neither counts nor fails.
    faults_count_thread(false)
    var sweep = Sweep(workload, try Network(), seed: seed)
    try sweep.run(count)
    say(sweep.summary)
    exit(sweep.wrongCount == 0 ? 0 : 1)
} catch {
    say("WRONG \(workload.name): \(error)", to: 2)
    exit(1)
}

/// Writes a line at once, also into a pipe.
func say(_ line: String, to descriptor: Int32 = 1) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(descriptor, bytes, bytes.count)
}
