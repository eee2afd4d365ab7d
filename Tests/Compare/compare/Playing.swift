// SPDX-License-Identifier: Apache-2.0

import TestScenes
import TestTopology

/// An answer before a change and after it.
struct Course: Equatable {
    var before: Bool
    var after: Bool

    var isChange: Bool { before != after }
}

/// The result of a scenario.
struct Outcome {
    /// The answers of the kernel, of this package and of each GLib to one question.
    struct Answers {
        var kernel: Course
        var package: Course
        /// Nil if GLib cannot be asked this.
        var glib: [Course?]
    }

    let scenario: Scenario
    var host: Answers
    var network: Answers
    /// How often this package reported a change of the host, and of the default path.
    var toldHost: Int
    var toldNetwork: Int
    /// How often each GLib signalled a change; it does not say what changed.
    var signals: [Int]

    /// Whether this package was right: each answer equals the kernel's, and exactly the changes were reported.
    var isRight: Bool {
        host.package == host.kernel && network.package == network.kernel
            && isRight(toldHost, scenario.mostTold.host, of: host.kernel)
            && isRight(toldNetwork, scenario.mostTold.network, of: network.kernel)
    }

    func isRight(_ told: Int, _ most: Int, of course: Course) -> Bool {
        (course.isChange ? 1 : 0)...most ~= told
    }

    func isRightOfGLib(_ number: Int) -> Bool {
        [host, network].allSatisfy { isRight($0.glib[number], beside: $0.kernel) } && hasSignalled(number)
    }

    private func isRight(_ answer: Course?, beside kernel: Course) -> Bool { answer == nil || answer == kernel }

    /// Whether a GLib has signalled if an answer changed that it can be asked for.
    func hasSignalled(_ number: Int) -> Bool {
        let isChange = [host, network].contains { $0.glib[number] != nil && $0.kernel.isChange }
        return !isChange || signals[number] > 0
    }
}

extension Scenario {
    /// Plays the scenario in a network of its own to this package, versions of GLib and the kernel.
    func play(_ others: [Watcher.Kind]) throws -> Outcome {
        let network = try WatchedNetwork(setup)
        let package = try network.start(.package, of: host)
        let glib = try others.map { try network.start($0, of: host) }
        try package.say("open")
        for watcher in glib {
            guard case .glib(let version) = watcher.kind else { continue }
            let monitor = try watcher.say("open")[1]
            guard monitor == version.monitor else {
                throw Watcher.Failure(description: "\(version.name) uses \(monitor)")
            }
        }
        func settleGLib() throws {
            for (watcher, kind) in zip(glib, others) { try network.settle(watcher, kind) }
        }
        try network.settle(package, .package)
        try settleGLib()

        try network.wait(until: course.before, host)
        let before = try ask(network, package, glib)
        let (toldHost, toldNetwork) = (package.count(of: "target"), package.count(of: "default"))
        let signals = glib.map { $0.count(of: "network") }
        for change in change { try network.stage.make(change) }
        try network.wait(until: course.after, host)
        // GLib first: to settle this package changes the fence, which GLib would report.
        try settleGLib()
        // The kernel may not announce an expiry, so the fence's callback does not prove that it was noticed.
        if course.isChange {
            for (watcher, count) in zip(glib, signals) where watcher.hasModule {
                _ = try watcher.waitUntilTold(of: "network", moreThan: count)
            }
            _ = try package.waitUntilTold(of: "target", moreThan: toldHost)
        }
        let heard = zip(glib, signals).map { $0.count(of: "network") - $1 }
        try network.settle(package, .package)
        let after = try ask(network, package, glib)

        func answers(_ before: Reading, _ after: Reading, isAsked: Bool = true) -> Outcome.Answers {
            .init(
                kernel: Course(before: before.kernel, after: after.kernel),
                package: Course(before: before.package, after: after.package),
                glib: zip(before.glib, after.glib).map { isAsked ? Course(before: $0, after: $1) : nil })
        }
        return Outcome(
            scenario: self, host: answers(before.host, after.host, isAsked: host.options.isEmpty),
            network: answers(before.network, after.network), toldHost: package.count(of: "target") - toldHost,
            toldNetwork: package.count(of: "default") - toldNetwork, signals: heard)
    }

    private struct Reading {
        var kernel: Bool
        var package: Bool
        var glib: [Bool]
    }

    private func ask(
        _ network: WatchedNetwork, _ package: Watcher, _ glib: [Watcher]
    ) throws -> (host: Reading, network: Reading) {
        func isYes(_ watcher: Watcher, _ command: String) throws -> Bool { try watcher.say(command) == ["yes"] }
        return (
            Reading(
                kernel: try network.topology.run { try KernelAnswer.about(host).isReachable },
                package: try isYes(package, "ask"),
                glib: try glib.map { try isYes($0, "ask") }),
            Reading(
                kernel: try network.topology.run { try KernelAnswer.aboutAnything().isReachable },
                package: try isYes(package, "available"), glib: try glib.map { try isYes($0, "available") })
        )
    }
}

extension Watcher {
    fileprivate var hasModule: Bool {
        guard case .glib(let glib) = kind else { return false }
        return glib.hasModule
    }
}
