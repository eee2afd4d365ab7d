// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityKit
import ReachabilityLinuxSystem
import TestHosts

/// soak MINUTES [SEED]: changes a network at random, and compares all answers and callbacks with the output of `ip`.
/// soak forks COUNT: forks very often while threads ask, and then as often beside first calls of new processes, of each kind.
/// soak first-forks COUNT: the second part of that alone.
/// soak repetitions plain|million|crowd SECONDS: counts the changes that are not told without repeated looks.
/// Ends with 1 if anything differed, hung or was left behind.
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "forks", let count = Int(CommandLine.arguments[2]) {
    let results = [try Forks().run(count), try FirstForks.run(count)]
    exit(results.allSatisfy(\.self) ? 0 : 1)
}
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "first-forks",
    let count = Int(CommandLine.arguments[2])
{
    exit(try FirstForks.run(count) ? 0 : 1)
}
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "first-forks",
    let calls = FirstForks.Calls(rawValue: CommandLine.arguments[2])
{
    exit(try FirstForks.runProcess(calls))
}
if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "repetitions",
    let way = Repetitions.Way(rawValue: CommandLine.arguments[2]), let seconds = Int(CommandLine.arguments[3])
{
    for pace in [Pace.withoutLate, .standard] { try Repetitions(way, pace).run(seconds: seconds) }
    exit(0)
}
let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) }
guard (1...2).contains(numbers.count), let minutes = numbers[0],
    let seed = numbers.count == 1 ? .random(in: 1...999_999) : numbers[1]
else {
    say("usage: soak MINUTES [SEED]")
    exit(64)
}
say("seed \(seed)")

/// How much more memory may be in use after the last minute than after the first. What the allocator keeps varies.
let mostGrowth = 8 << 10

do {
    // The first time, for everything that is made once and kept.
    let rehearsal = try Soak(seed: seed)
    for _ in 0..<20 { try rehearsal.step() }
    try rehearsal.end()
    try ProcessState.waitUntilEnginesAreGone()
    let descriptors = ProcessState.descriptors

    var account = try run(minutes: Int(minutes), seed: seed)
    account.discrepancies += rehearsal.account.discrepancies
    try ProcessState.waitUntilEnginesAreGone()
    try ProcessState.wait("the descriptors are closed") { ProcessState.descriptors <= descriptors }
    say(account.text)
    say("afterwards no thread of the engine is left, and \(ProcessState.descriptors) descriptors, as before")
    if account.growth > mostGrowth { say("WRONG memory has grown by \(account.growth) KB") }
    exit(account.discrepancies == 0 && account.growth <= mostGrowth ? 0 : 1)
} catch {
    say("WRONG \(error)")
    exit(1)
}

func run(minutes: Int, seed: UInt64) throws -> Account {
    let soak = try Soak(seed: seed)
    let start = SystemTime().now()
    var sampled = -1
    while true {
        try soak.step()
        let minute = Int(SystemTime().now().duration(since: start) / .seconds(60))
        if minute > sampled { soak.sample(minute) }
        sampled = minute
        if minute >= minutes { break }
    }
    try soak.end()
    return soak.account
}

/// Writes a line at once, also into a pipe.
func say(_ line: String, on descriptor: Int32 = 1) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(descriptor, bytes, bytes.count)
}
