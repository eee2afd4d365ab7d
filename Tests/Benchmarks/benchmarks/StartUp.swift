// SPDX-License-Identifier: Apache-2.0

import CLimits
import Glibc

/// The installed command line program, compared with that of iproute2.
func measureStartUp(_ stage: Stage) throws -> [Row] {
    guard let program = stage.staticProgram else {
        throw MeasuringFailure("no static program was given (--static PATH)")
    }
    let result = try inTurns(301) {
        try run(program, "127.0.0.1")
    } against: {
        try run("ip", "route", "get", "127.0.0.1")
    }
    return [
        Row(
            name: "start of reachability 127.0.0.1; limit: ip route get", unit: .microseconds,
            ours: result.ours / 1000, limit: result.limit / 1000, target: .ratio(1))
    ]
}

private func run(_ words: String...) throws -> Double {
    var arguments = unsafe words.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { unsafe arguments.forEach { unsafe free($0) } }
    return try unsafe checked(limits_run(arguments))
}
