// SPDX-License-Identifier: Apache-2.0

import CSystemCallCount
import Glibc
import LinuxSystem
import TestTopology
import Testing

/// The system calls for one answer, in an ordinary program.
@Suite(
    "System calls", .timeLimit(.minutes(10)), .needs(.namespaces, .settings),
    .disabled(if: Sanitizer.isOn, "a sanitizer makes calls of its own"))
struct SystemCallTests {
    private static func calls(_ kind: String, _ target: String) throws -> [String] {
        let wired = try Wired("route add default via 10.0.0.254\n-6 route add default via fd00::254 dev eth0")
        let own = Files.linkTarget(of: "/proc/self/exe") ?? ""
        let program = own[..<(own.lastIndex(of: "/") ?? own.endIndex)] + "/asking"
        let words = [String(program), kind, target]
        var arguments = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var numbers = [Int](repeating: -1, count: 100)
        let (count, error) = wired.topology.run {
            let count = unsafe system_calls_of(arguments, &numbers, Int32(numbers.count))
            return (Int(count), errno)
        }
        try #require(count >= 0, "\(Errno(rawValue: error))")
        return numbers.prefix(count).map { unsafe String(cString: system_call_name($0)) }
    }

    /// The kernel may announce the end of a link's setup in between. Then one question takes more calls.
    private static func expect(
        _ expected: [String], of kind: String, _ target: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var seen: [[String]] = []
        while seen.count < 5, seen.last != expected { seen.append(try calls(kind, target)) }
        #expect(seen.last == expected, "\(seen)", sourceLocation: sourceLocation)
    }

    @Test("asking again is one of them", arguments: ["8.8.8.8", "2001:db8::1", "default", "10.0.0.1,8.8.8.8"])
    func again(_ target: String) throws {
        try Self.expect(["epoll_wait"], of: "again", target)
    }

    /// Each destination takes two requests in one message: for the hop that is taken, and for the route in its table.
    private static let question = ["send", "receive", "receive"]

    @Test(
        "asking for the first time is a question and its answer, and for a pair two of them",
        arguments: [
            ("8.8.8.8", question), ("2001:db8::1", question), ("default", question),
            ("10.0.0.1,8.8.8.8", question + question),
        ])
    func first(_ target: String, questions: [String]) throws {
        try Self.expect(questions, of: "first", target)
    }

    @Test(
        "asking after a change empties the queue before",
        arguments: ["8.8.8.8", "2001:db8::1"])
    func changed(_ target: String) throws {
        // The first time tells that the answer is not proved, the second that there is something to empty.
        try Self.expect(["epoll_wait", "epoll_wait", "receive", "receive"] + Self.question, of: "changed", target)
    }
}
