// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ReachabilityKit
import Synchronization

/// `reachability path`: the ways out of this machine, once, or now and at each change.
struct Path {
    let arguments: Arguments

    func run() -> ExitStatus {
        do throws(ReachabilityError) {
            let source = try PathSource(arguments.options)
            guard arguments.isWatching else {
                let path = try source.current()
                report(path)
                return path.view().status == .satisfied ? .allReachable : .notAllReachable
            }
            let subscription = try source.subscribe(PathPrinter(self))
            // Until it is interrupted. Paths are printed by the engine's thread.
            while true { DispatchSemaphore(value: 0).wait() }
            withExtendedLifetime(subscription) {}
        } catch {
            Output.complaint(error.description)
            return .undetermined
        }
    }

    fileprivate func report(_ path: NetworkPath) {
        Output.result(arguments.isJSON ? JSONText(path, isTimed: arguments.isWatching).text : PathText(path).text)
    }
}

/// Prints each path as it comes.
private final class PathPrinter: PathSubscriber {
    private let command: Path
    private let isFirst = Mutex(true)

    init(_ command: Path) {
        self.command = command
    }

    func observe(_ path: NetworkPath) {
        // Blocks are told apart by an empty line; JSON has a line each.
        let separates = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return !isFirst && !command.arguments.isJSON
        }
        if separates { Output.result("") }
        command.report(path)
    }
}
