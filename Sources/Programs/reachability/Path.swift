// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityNetlink
import ReachabilityResolverFiles

/// `reachability path`: how packets can leave this machine, once, or now and at each change.
struct Path {
    let arguments: Arguments

    func run() throws(ReachabilityError) -> ExitStatus {
        if arguments.isWatching { return try watch() }
        let path = try PathSource(arguments.options).current(hintTimeout: SharedEngine.hintLimit)
        if !arguments.isQuiet {
            Output.result(arguments.isJSON ? JSONText(path, hasIdentity: false).text : path.description)
        }
        return path.status == .satisfied ? .allReachable : .notAllReachable
    }

    private func watch() throws(ReachabilityError) -> ExitStatus {
        let loop = try MainLoop<PathMessage>()
        loop.watchOutput()
        let source = try PathSource(arguments.options)
        let note: @Sendable (Result<NetworkPath, ReachabilityError>) -> Void = { [messages = loop.messages] in
            messages.append(PathMessage(path: $0, time: .now))
        }
        let subscription = try source.observe(refused: { note(.failure($0)) }) { note(.success($0)) }
        // The subscription reports no errors, so an error is found here.
        _ = try source.current()
        var shown: String?
        return withExtendedLifetime(subscription) {
            while true {
                for _ in loop.next() {
                    loop.print {
                        guard let message = loop.messages.removeAll().last else { return nil }
                        switch message.path {
                        case .success(let path):
                            // A change of something that is not printed, such as a link-local address, is left out.
                            let content = arguments.isJSON ? JSONText(path).text : path.description
                            defer { shown = content }
                            return content == shown ? "" : text(path, message.time) + "\n"
                        case .failure(let error):
                            shown = nil
                            Output.complaint(error.description)
                            return ""
                        }
                    }
                }
            }
        }
    }

    private func text(_ path: NetworkPath, _ time: WallTime) -> String {
        let time = Timestamp.rfc3339(time)
        return arguments.isJSON ? JSONText(path, time: time).text : "\(time) \(path)"
    }
}

/// A path, or why the kernel refuses to tell it, and when that was found. The newest counts.
private struct PathMessage: QueuedMessage {
    let path: Result<NetworkPath, ReachabilityError>
    let time: WallTime
    var subject: Int { 0 }
}
