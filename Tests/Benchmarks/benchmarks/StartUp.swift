// SPDX-License-Identifier: Apache-2.0

import CLimits
import Glibc

/// The installed command line program, compared with that of iproute2.
func measureStartUp(_ stage: Stage) throws -> [Row] {
    let program = try stage.requiredProgram()
    let result = try inTurns(301) {
        try run(program, "check", "127.0.0.1")
    } against: {
        try run("ip", "route", "get", "127.0.0.1")
    }
    // It touches 194 pages of memory, and `ip` 129.
    return [
        Row("start of reachability 127.0.0.1; limit: ip route get", .microseconds, result, per: 1000, ratio: 1.25)
    ]
}

/// A list in which no line is a target. A program that compares each mistake with all others takes ten times as long for a line
/// of the long list.
func measureMistakes(_ stage: Stage) throws -> [Row] {
    let program = try stage.requiredProgram()
    let (short, long) = (2_000, 20_000)
    let path = "/tmp/reachability-mistakes-\(getpid())"
    defer { unsafe unlink(path) }
    func timePerLine(_ lines: Int) throws -> Double {
        let text = (0..<lines).map { "not a target \($0)\n" }.joined()
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard unsafe write(file, text, text.utf8.count) == text.utf8.count else {
            throw MeasuringFailure("cannot write \(path)")
        }
        return try run(program, "check", "--file", path, endingWith: 64) / Double(lines)
    }
    let result = try inTurns(11) {
        try timePerLine(long)
    } against: {
        try timePerLine(short)
    }
    return [
        Row("a list of 20,000 mistakes, for each; limit: of 2,000", .nanoseconds, result, ratio: 1.5)
    ]
}

extension Stage {
    fileprivate func requiredProgram() throws -> String {
        guard let staticProgram else { throw MeasuringFailure("no static program was given (--static PATH)") }
        return staticProgram
    }
}

private func run(_ words: String..., endingWith status: Int32 = 0) throws -> Double {
    var arguments = unsafe words.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { unsafe arguments.forEach { unsafe free($0) } }
    return try unsafe checked(limits_run(arguments, status))
}
