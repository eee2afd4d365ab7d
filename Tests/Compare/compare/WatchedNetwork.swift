// SPDX-License-Identifier: Apache-2.0

import TestScenes
import TestTopology

/// A network in which watchers run.
final class WatchedNetwork {
    let stage: Stage
    var topology: Machine { stage.topology }

    init(_ changes: [Scene.Change]) throws {
        stage = try Stage()
        for change in changes { try stage.make(change) }
    }

    func start(_ kind: Watcher.Kind, of host: Scenario.Question) throws -> Watcher {
        try Watcher(kind, of: host, in: topology)
    }

    /// Returns when the watcher has processed everything that has happened so far. GLib's runs its main loop until no timer
    /// is left. This package's has then reported two changes of the fence, which come after everything else.
    func settle(_ watcher: Watcher, _ kind: Watcher.Kind) throws {
        if !kind.isGLib {
            var before = watcher.count(of: "fence")
            try Fence.pass(in: topology) { _ in
                guard try watcher.waitUntilTold(of: "fence", moreThan: before, within: .seconds(30)) else {
                    throw Watcher.Failure(description: "a change of the fence was not reported")
                }
                before += 1
            }
        }
        try watcher.say("settle")
    }

    /// Waits until the kernel says of a host what the scene says. It may take a second to report a carrier, and announces the end
    /// of an IPv6 route half a minute late, so the route itself is asked for.
    func wait(until isReachable: Bool, _ host: Scenario.Question) throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try topology.run({ try KernelAnswer.about(host).isReachable }) != isReachable {
            guard ContinuousClock.now < deadline else {
                throw Watcher.Failure(description: "the kernel never says of \(host.text) what the scene says")
            }
        }
    }
}
