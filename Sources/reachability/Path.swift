// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// `reachability path`: the ways out of this machine, once, or now and at each change.
struct Path {
    let arguments: Arguments

    /// NetworkManager answers within a few milliseconds, where it answers.
    private static let patience: Duration = .milliseconds(250)

    func run() -> ExitStatus {
        do throws(ReachabilityError) {
            return arguments.isWatching ? try watch() : try show()
        } catch {
            Output.complaint(error.description)
            return error.code == .invalidOption ? .usage : .undetermined
        }
    }

    private func show() throws(ReachabilityError) -> ExitStatus {
        let path = try PathSource(arguments.options).current(meteringTimeout: Self.patience)
        Output.result(arguments.isJSON ? JSONText(path).text : PathText(path).text)
        return path.view().status == .satisfied ? .allReachable : .notAllReachable
    }

    private func watch() throws(ReachabilityError) -> ExitStatus {
        let inbox: Inbox<TimedPath>
        let loop: MainLoop
        do throws(Errno) {
            inbox = try Inbox()
            loop = try MainLoop(arrival: inbox.rawDescriptor)
        } catch {
            Output.complaint("cannot wait for changes: \(error)")
            return .undetermined
        }
        loop.watchOutput()
        let source = try PathSource(arguments.options)
        let subscription = try source.subscribe(PathSink(inbox))
        // A path that cannot be found out is not told; that it cannot is said here.
        _ = try source.current()
        var shown: String?
        return withExtendedLifetime(subscription) {
            while true {
                for event in loop.next() where event == .messages {
                    for message in inbox.take() {
                        // What nobody could see is no change, such as an address that is good for the link only.
                        let content = arguments.isJSON ? JSONText(message.path).text : PathText(message.path).text
                        if content != shown { loop.print(text(message) + "\n") }
                        shown = content
                    }
                }
            }
        }
    }

    private func text(_ message: TimedPath) -> String {
        let time = Timestamp.rfc3339(message.time)
        return arguments.isJSON ? JSONText(message.path, time: time).text : "\(time) \(PathText(message.path).text)"
    }
}

private struct TimedPath: Sendable {
    let path: NetworkPath
    let time: WallTime
}

/// Takes paths to the main thread.
private final class PathSink: PathSubscriber {
    private let inbox: Inbox<TimedPath>

    init(_ inbox: Inbox<TimedPath>) {
        self.inbox = inbox
    }

    func observe(_ path: NetworkPath) {
        inbox.deliver(TimedPath(path: path, time: .now))
    }
}
