// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem

extension Comparison {
    /// The published page of a run.
    var document: Document {
        Document(
            text: [
                introduction, "## Scenarios", scenarioPart, "## Cost", costPart, "## From a change to being told of it",
                latencyPart, "## Storms", stormPart,
            ].joined(separator: "\n\n") + "\n")
    }

    private var introduction: String {
        """
        # Comparison

        This package beside GLib's `GNetworkMonitor`, which is what a program on Linux can ask without a daemon, and
        beside the kernel itself. **This page is written by `make compare`**, which takes a few minutes, needs Debian's
        `libglib2.0-dev`, and ends with an error if this package was wrong anywhere.

        This run: \(machine.date), Linux \(machine.kernel), \(machine.processors) processors (\(machine.processor)),
        GLib \(machine.glib) with its netlink back end (`GIO_USE_NETWORK_MONITOR=netlink`), iproute2 \(machine.iproute).
        """
    }

    private var scenarioPart: String {
        let own = outcomes.count(where: \.isRight)
        let glib = outcomes.count(where: \.isRightOfGLib)
        let missing = notPlayed.map { "- \($0.name): \($0.reason)" }
        return """
            Each scenario is a network namespace of its own: two Ethernet links, `eth0` and `eth1`, and default routes of
            IPv4 and IPv6 by `eth0`. Something is changed by the commands in `Tests/Compare/compare/Scenarios.swift` while
            both watch. Before and after, each is asked whether a **host** can be reached (`192.0.2.1` unless the row names
            another), and whether **any network** is there.

            - *kernel*: `ip route get`, and the state of the link the route leaves by, for a link without carrier sends
              nothing. For "any network": whether a far address of either family has a route.
            - *here*: `ReachabilityRef.getFlags().isReachable`, and the same of `.defaultPath()`.
            - *GLib*: `g_network_monitor_can_reach` with a socket address, and `g_network_monitor_get_network_available`.
            - *told*: how often a callback came, here for the host and for the default path, each of which is to be told
              once if its answer changed and not at all if not (a way that moves to another link is a change too); in
              GLib the signal `network-changed`, which does not say of what, and which counts as missing if an answer
              changed and none came.

            Nobody is asked before he has come to rest: GLib's main loop runs until no timer is left, which gives it the
            second after which it reads all routes again. **Bold** is wrong. "–": the API cannot ask that.

            Right throughout: this package in \(own) of \(outcomes.count), GLib in \(glib).

            \(table(heading: ["what happens", "host: kernel", "here", "GLib", "any network: kernel", "here", "GLib",
                "told: here", "GLib"], rows: outcomes.map(row)))
            \(missing.isEmpty ? "" : "\nNot played:\n\n" + missing.joined(separator: "\n") + "\n")
            What GLib \(machine.glib) gets wrong has a pattern: it keeps the routes that it was told of and searches them
            itself, and so does not know what rules, tables, types of routes, next-hop objects and links make of them.
            """
    }

    private func row(_ outcome: Outcome) -> [String] {
        let (host, network) = (outcome.host, outcome.network)
        let scenario = outcome.scenario
        var name = scenario.name
        if scenario.target != Scenario.farHost { name += " (`\(scenario.target)`)" }
        if !scenario.keys.isEmpty { name += " (`\(scenario.keys.joined(separator: " "))`)" }
        func told(_ count: Int, _ course: Course) -> String { mark("\(count)", outcome.isRight(count, of: course)) }
        return [
            name, "\(words(host.kernel))", words(host.package, host.kernel),
            host.glib.map { words($0, host.kernel) } ?? "–", words(network.kernel),
            words(network.package, network.kernel),
            network.glib.map { words($0, network.kernel) } ?? "–",
            "\(told(outcome.toldHost, host.kernel)), \(told(outcome.toldNetwork, network.kernel))",
            mark("\(outcome.signals)", outcome.signals >= outcome.expectedSignals),
        ]
    }

    /// "yes → no". Answers that differ from the kernel's are bold.
    private func words(_ course: Course, _ truth: Course? = nil) -> String {
        func word(_ answer: Bool, _ right: Bool?) -> String { mark(answer ? "yes" : "no", answer == right ?? answer) }
        return "\(word(course.before, truth?.before)) → \(word(course.after, truth?.after))"
    }

    private func mark(_ text: String, _ isRight: Bool) -> String { isRight ? text : "**\(text)**" }

    // MARK: Figures

    private var costPart: String {
        """
        Measured at a load average of \(load): what else ran is in these figures, so read how they grow rather than what
        they are. Each watcher is a process of its own; medians.

        *Start* is from nothing to the first answer with watching begun (here: a reference, its callback and `getFlags`;
        GLib: `g_network_monitor_get_default` and `can_reach`), *memory* what the process has grown by. *Again* is a
        question about an address that was asked about before, *new* about one that was not. GLib has no such difference;
        it is asked about 200 addresses in turn. *Program* is `ip route get`, started and ended.

        \(table(
            heading: ["routes", "start: here", "GLib", "memory: here", "GLib", "again: here", "new: here", "GLib",
                "program"],
            rows: costs.map { cost in
                [
                    count(cost.routes) + (cost.hasDefault ? " and default" : ""), time(cost.package.time),
                    time(cost.glib.time), memory(cost.package.memory), memory(cost.glib.memory), time(cost.repeated),
                    time(cost.first), time(cost.canReach), time(cost.program),
                ]
            }))

        With both default routes GLib answers without looking; where there is none, as on a router that has all the
        Internet's routes, it walks through all of them. With few routes it starts more quickly than this package, which opens
        more sockets and starts a thread.
        """
    }

    private var latencyPart: String {
        """
        From the send of a change of the default route until the callback, or signal, runs in the watching process; 200
        changes, 4 ms apart.

        \(table(
            heading: ["", "median", "p99"],
            rows: [("here, on a dispatch queue", latencies.package), ("GLib, in its main loop", latencies.glib)].map {
                [$0.0, time($0.1.percentile(50)), time($0.1.percentile(99))]
            }))

        GLib is the quicker one here: its signal runs in the thread that reads the announcements, while a callback on a
        dispatch queue is a second thread that has to be woken.
        """
    }

    private var stormPart: String {
        """
        100,000 routes to elsewhere are added and deleted as fast as the kernel takes them, while a watcher runs, or is
        stopped (SIGSTOP) and continued. Then the default route is taken away: is that still told, and answered rightly?
        *Spent* is the watcher's time on the processor for the storm, *woken* how often it slept and was woken.

        \(table(
            heading: ["watcher", "told afterwards", "right afterwards", "spent", "woken", "one change, for its maker"],
            rows: storms.map { storm in
                guard storm.isWatched else { return [storm.name, "–", "–", "–", "–", time(storm.change)] }
                return [
                    storm.name, mark(storm.tells ? "yes" : "no", storm.tells),
                    mark(storm.answersRightly ? "yes" : "no", storm.answersRightly), time(storm.processorTime),
                    count(storm.wakeUps), time(storm.change),
                ]
            }))

        A watcher that does not keep up is told by the kernel that announcements were dropped. GLib \(machine.glib) then
        complains of an error on its socket, which ends its reading: it tells of nothing any more, and goes on answering
        from what it knew. This package looks at everything again.
        """
    }

    private func table(heading: [String], rows: [[String]]) -> String {
        ([heading, heading.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |" }
            .joined(separator: "\n")
    }

    private func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1_000: "\(digits(nanoseconds)) ns"
        case ..<1_000_000: "\(digits(nanoseconds / 1_000)) µs"
        case ..<1_000_000_000: "\(digits(nanoseconds / 1_000_000)) ms"
        default: "\(digits(nanoseconds / 1_000_000_000)) s"
        }
    }

    private func memory(_ bytes: Double) -> String { "\(digits(bytes / 1_000_000)) MB" }

    /// A figure with two or three significant digits.
    private func digits(_ value: Double) -> String {
        value >= 10 ? "\(Int(value.rounded()))" : "\(Int(value)).\(Int(value * 10) % 10)"
    }

    private func count(_ number: Int) -> String {
        let text = String(number)
        guard text.count > 3 else { return text }
        return count(number / 1000) + "," + text.suffix(3)
    }
}

/// A page of the documentation.
struct Document {
    let text: String

    func write(to path: String) throws {
        guard let file = unsafe fopen(path, "w") else { throw Errno(rawValue: errno) }
        defer { unsafe fclose(file) }
        guard unsafe fputs(text, file) >= 0 else { throw Errno(rawValue: errno) }
    }
}
