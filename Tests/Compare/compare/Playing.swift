// SPDX-License-Identifier: Apache-2.0

import TestTopology

/// An answer before a change and after it.
struct Course: Equatable {
    var before: Bool
    var after: Bool

    var isChange: Bool { before != after }
}

/// The result of a scenario.
struct Outcome {
    /// The answers of the kernel, of this package and of GLib: whether the host can be reached, and whether any host
    /// can.
    struct Answers {
        var kernel: Course
        var package: Course
        /// nil if GLib cannot be asked that.
        var glib: Course?
    }

    let scenario: Scenario
    var host: Answers
    var network: Answers
    /// How often this package told a change of the host, and of the default path.
    var toldHost: Int
    var toldNetwork: Int
    /// How often GLib told a change. It does not say which.
    var signals: Int

    /// Whether this package was right: each answer is the kernel's, each change was told once, and nothing else was
    /// told.
    var isRight: Bool {
        host.package == host.kernel && network.package == network.kernel
            && isRight(toldHost, of: host.kernel) && isRight(toldNetwork, of: network.kernel)
    }

    func isRight(_ told: Int, of course: Course) -> Bool {
        let least = course.isChange ? 1 : 0
        return least...least + scenario.moves ~= told
    }

    var isRightOfGLib: Bool {
        (host.glib ?? host.kernel) == host.kernel && network.glib == network.kernel && signals >= expectedSignals
    }

    /// GLib has one signal for all changes.
    var expectedSignals: Int { network.kernel.isChange || host.glib != nil && host.kernel.isChange ? 1 : 0 }
}

extension Scenario {
    /// Plays it in a network of its own, and asks this package, GLib and the kernel.
    func play(glib program: String) throws -> Outcome {
        let network = try WatchedNetwork(setup, target: target)
        let (own, other) = (Watcher.Kind.package, Watcher.Kind.glib(program: program))
        let package = try network.start(own, of: target, keys: keys)
        let glib = try network.start(other, of: target)
        try package.say("open")
        let kind = try glib.say("open")[1]
        guard kind == "GNetworkMonitorNetlink" else { throw Watcher.Failure(description: "GLib uses its \(kind)") }
        try network.settle(package, own)
        try network.settle(glib, other)

        let before = try ask(network, package, glib)
        let (signals, toldHost, toldNetwork) =
            (glib.count(of: "network"), package.count(of: "target"), package.count(of: "default"))
        for command in change { try network.perform(command, about: target) }
        // GLib first: the changes of the fence, which show that this package has finished, are changes to GLib.
        try network.settle(glib, other)
        let heard = glib.count(of: "network") - signals
        // An expiry is not announced, so the fence does not come after it.
        if try KernelAnswer.reachability(of: self, in: network) != before.host.kernel {
            _ = try package.waitUntilTold(of: "target", moreThan: toldHost)
        }
        try network.settle(package, own)
        let after = try ask(network, package, glib)

        func course(_ before: Bool, _ after: Bool) -> Course { Course(before: before, after: after) }
        func answers(_ before: Reading, _ after: Reading, isAsked: Bool = true) -> Outcome.Answers {
            .init(
                kernel: course(before.kernel, after.kernel), package: course(before.package, after.package),
                glib: isAsked ? course(before.glib, after.glib) : nil)
        }
        return Outcome(
            scenario: self, host: answers(before.host, after.host, isAsked: keys.isEmpty),
            network: answers(before.network, after.network), toldHost: package.count(of: "target") - toldHost,
            toldNetwork: package.count(of: "default") - toldNetwork, signals: heard)
    }

    private struct Reading {
        var kernel: Bool
        var package: Bool
        var glib: Bool
    }

    private func ask(
        _ network: WatchedNetwork, _ package: Watcher, _ glib: Watcher
    ) throws -> (host: Reading, network: Reading) {
        func isYes(_ watcher: Watcher, _ command: String) throws -> Bool { try watcher.say(command) == ["yes"] }
        return (
            Reading(
                kernel: try KernelAnswer.reachability(of: self, in: network), package: try isYes(package, "ask"),
                glib: try isYes(glib, "ask")),
            Reading(
                kernel: try network.topology.run { try KernelAnswer.aboutAnything().isReachable },
                package: try isYes(package, "available"), glib: try isYes(glib, "available"))
        )
    }
}

extension KernelAnswer {
    fileprivate static func reachability(of scenario: Scenario, in network: WatchedNetwork) throws -> Bool {
        try network.topology.run { try about(scenario.target, keys: scenario.keys).isReachable }
    }
}
