// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityKit

/// lab-rows --list, lab-rows NAME, lab-rows --await LINK, lab-rows --await-broken LINK, lab-rows --flags TARGET: one row
/// for each process, because each row needs its own network, /sys and processes. `init` makes these.
let rows =
    Row.stacked + Row.tunnels + Row.wireGuard + Row.ppp + Row.modems + Row.wifi + Row.vrf + Row.daemons + Row.sleep

switch CommandLine.arguments.dropFirst() {
case ["--list"]:
    for row in rows { print(row.name) }
case let words where words.count == 2 && words.first == "--await":
    try awaitLink(words.last!)
case let words where words.count == 2 && words.first == "--await-broken":
    try awaitLink(words.last!, broken: true)
case let words where words.count == 2 && words.first == "--flags":
    print(try Question(stringLiteral: words.last!).flags().rawValue)
case let words where words.count == 1:
    guard let row = rows.first(where: { $0.name == words.first }) else {
        print("lab-rows: no such row: \(words.first!)")
        exit(64)
    }
    guard RowRun.isGood(row) else {
        print("✘ \(row.name)")
        exit(1)
    }
    print("✔ \(row.name)")
    exit(0)
default:
    print("usage: lab-rows --list | NAME | --await LINK | --await-broken LINK | --flags TARGET")
    exit(64)
}
