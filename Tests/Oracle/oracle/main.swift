// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import TestHosts

/// oracle COUNT [SEED]: makes random networks, and compares this package's answers with what connecting a socket says.
/// Ends with 1 if anything differed, or if an exception was met too often.
let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) }
guard (1...2).contains(numbers.count), let count = numbers[0],
    let seed = numbers.count == 1 ? .random(in: 1...999_999) : numbers[1]
else {
    say("usage: oracle COUNT [SEED]")
    exit(64)
}
say("seed \(seed)")

do {
    let oracle = Oracle(seed: seed)
    try oracle.run(Int(count))
    say(oracle.summary)
    exit(oracle.hasFailed ? 1 : 0)
} catch {
    say("WRONG \(error)")
    exit(1)
}

/// Writes a line at once, also into a pipe.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(1, bytes, bytes.count)
}
