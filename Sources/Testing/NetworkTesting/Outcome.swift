// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import FoundationEssentials
import ReachabilityLinuxSystem
import Testing

/// The result of a test in its own process, to be reported by the process of the tests.
struct Outcome: Sendable {
    struct Issue: Sendable {
        var text: String
        var isKnown = false
        var isWarning = false
        var place: SourceLocation?
    }

    private(set) var issues: [Issue] = []
    /// Why the test was cancelled, or was skipped by a condition that is not met in its own process.
    private(set) var cancellation: String?
    private(set) var output = ""

    var isFailure: Bool { issues.contains { !$0.isKnown && !$0.isWarning } }

    /// The result of a test that could not run.
    init(failure: String) {
        issues = [Issue(text: failure)]
    }

    /// A test has passed only if its process reported exactly one start and one end of the test and the end of the run, and
    /// exited with the matching status.
    init(of test: String, _ ending: Ending) {
        var (starts, ends, runs) = (0, 0, 0)
        var isCancelled = false
        // The arguments of a test run one after another.
        var arguments: String?
        for line in ending.stream.split(separator: UInt8(ascii: "\n")) {
            // Records of other kinds, such as the description of a test, have other fields.
            guard let event = try? JSONDecoder().decode(Record.self, from: Data(line)).payload else { continue }
            let isOfTest = event.testID == test
            switch event.kind {
            case "testStarted" where isOfTest: starts += 1
            case "testEnded" where isOfTest:
                ends += 1
                if isCancelled { cancellation = event.reason }
            case "testCancelled" where isOfTest: isCancelled = true
            case "testSkipped" where isOfTest:
                cancellation = event.reason
                (starts, ends) = (starts + 1, ends + 1)
            case "testCaseStarted" where isOfTest: arguments = event.arguments
            case "testCaseEnded" where isOfTest: arguments = nil
            case "issueRecorded": issues.append(Issue(event, arguments))
            case "runEnded": runs += 1
            default: break
            }
        }
        let isComplete = (starts, ends, runs) == (1, 1, 1)
        if let problem = Self.problem(ending.manner, isComplete: isComplete, hasFailed: isFailure) {
            issues.append(Issue(text: problem))
        }
        output = ending.output
    }

    private static func problem(_ manner: Ending.Manner, isComplete: Bool, hasFailed: Bool) -> String? {
        switch manner {
        case .status(hasFailed ? 1 : 0) where isComplete: nil
        case .status(let status):
            isComplete
                ? "The process of the test ended with status \(status) after the test."
                : "The process of the test exited with status \(status) before the test had ended."
        case .signal(let signal):
            "The process of the test crashed with signal \(signal) (\(unsafe String(cString: strsignal(signal))))."
        case .killed(let limit):
            "The test did not end: its process told of nothing for \(limit), and was killed."
        }
    }
}

extension Outcome {
    /// Reports the issues at the places where they were recorded, as those of the running test, and prints the output of a failed
    /// test.
    func report(_ test: Test) throws {
        if isFailure, !output.isEmpty { print("Output of \(test.name):\n\(output)") }
        for issue in issues {
            let place = issue.place ?? test.sourceLocation
            guard issue.isKnown else {
                issue.record(at: place)
                continue
            }
            withKnownIssue(sourceLocation: place) { issue.record(at: place) }
        }
        guard let cancellation else { return }
        #if compiler(>=6.3)
        try Test.cancel("\(cancellation)", sourceLocation: test.sourceLocation)
        #else
        Issue(text: "The test was skipped in its own process: \(cancellation)").record(at: test.sourceLocation)
        #endif
    }
}

extension Outcome.Issue {
    fileprivate func record(at place: SourceLocation) {
        #if compiler(>=6.3)
        Testing.Issue.record("\(text)", severity: isWarning ? .warning : .error, sourceLocation: place)
        #else
        Testing.Issue.record("\(text)", sourceLocation: place)
        #endif
    }

    fileprivate init(_ event: Record.Event, _ arguments: String?) {
        var messages = (event.messages ?? []).map(\.text)
        // The text given to Issue.record is more useful than the fact that it was called.
        if messages.count > 1, messages[0] == "Issue recorded" { messages.removeFirst() }
        text = (messages + (arguments.map { ["with \($0)"] } ?? [])).joined(separator: "\n")
        isKnown = event.issue?.isKnown ?? false
        isWarning = event.issue?.severity == "warning"
        place = event.issue?.sourceLocation?.location
    }
}

/// A record of the event stream: a JSON object on a line (Documentation/ABI/JSON.md of swift-testing).
private struct Record: Decodable {
    struct Event: Decodable {
        var kind: String
        var testID: String?
        var issue: Issue?
        var messages: [Message]?

        /// The text between quotation marks in a message about a test that did not run to its end.
        var reason: String {
            let text = messages?.first?.text ?? ""
            guard let start = text.firstRange(of: ": \"") else { return text }
            return String(text[start.upperBound...].dropLast())
        }

        /// The arguments in a message like `Test case passing 1 argument x → 3 to f(x:) started.`
        var arguments: String? {
            let text = messages?.first?.text ?? ""
            guard let start = text.firstRange(of: " passing "), let end = text.ranges(of: " to ").last else {
                return nil
            }
            return String(text[start.upperBound..<max(start.upperBound, end.lowerBound)])
        }
    }

    struct Message: Decodable {
        var text: String
    }

    struct Issue: Decodable {
        var isKnown: Bool
        /// From version 6.3 on.
        var severity: String?
        var sourceLocation: Place?
    }

    struct Place: Decodable {
        var fileID: String?
        var filePath: String?
        /// The path before version 6.3.
        var _filePath: String?
        var line: Int
        var column: Int

        var location: SourceLocation? {
            guard let fileID, let path = filePath ?? _filePath else { return nil }
            return SourceLocation(fileID: fileID, filePath: path, line: line, column: column)
        }
    }

    var payload: Event
}
#endif
