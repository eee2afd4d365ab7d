// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem

extension Comparison {
    /// The page that describes this run.
    var document: String {
        [
            introduction, "## Scenarios", scenarioPart, "## Cost", costPart, "## From a change to the callback",
            latencyPart, "## Storms", stormPart,
        ].joined(separator: "\n\n") + "\n"
    }

    private var introduction: String {
        """
        # Comparison

        This page compares the package with GLib's `GNetworkMonitor` and with the kernel itself. `GNetworkMonitor` with its
        netlink back end is what a program on Linux can use without a daemon. **`make compare` writes this page.** It takes a
        few minutes, needs Debian's `libglib2.0-dev`, and ends with an error if this package was wrong anywhere.

        Two versions of GLib are compared: the one of this system, and the newest of Debian (sid), with the C library and the
        others that it needs. One and the same program, `Tests/Compare/glib/glib-watcher.c`, watches with each. They work
        differently. GLib 2.74 keeps a copy of all routes and searches it. GLib 2.90 looks the route up in the kernel for
        `g_network_monitor_can_reach`, and keeps only the default routes, for "any network".

        "With the module" is the same program once more, with nothing changed but that `GIO_EXTRA_MODULES` names the folder of
        this package's GIO module ([Embedding](../Embedding.md#programs-that-use-glib)).

        This run: \(machine.date), Linux \(machine.kernel), \(machine.processors) processors (\(machine.processor)),
        \(versions.filter { !$0.hasModule }.map(\.name).joined(separator: " and ")) with their netlink back end
        (`GIO_USE_NETWORK_MONITOR=netlink`), iproute2 \(machine.iproute).
        """
    }

    private var scenarioPart: String {
        let own = outcomes.count(where: \.isRight)
        let others = versions.indices.map { number in
            "- \(versions[number].name) in \(rightOfGLib(number)): \(rightByColumn(number))"
        }
        let missing = notPlayed.map { "- \($0.name): \($0.reason)" }
        return """
            Each scenario has its own network namespace with two Ethernet links, `eth0` and `eth1`, and default routes of IPv4
            and IPv6 by `eth0`. While this package and GLib watch, the lines of `Tests/Scenes/changes.scenes` change something.
            Before and after the change, each is asked whether a **host** can be reached (`192.0.2.1` unless the row names
            another), and whether **any network** is there.

            - *kernel*: `ip route get`, and the state of the link the route leaves by, because a link without carrier sends
              nothing. For "any network": the same for two far addresses, one of each family; one of them has to be reachable.
            - *here*: `ReachabilityRef.getFlags().isReachable`, and the same of `.defaultPath()`.
            - *GLib*: `g_network_monitor_can_reach` with a socket address, and `g_network_monitor_get_network_available`.
            - *callbacks, here*: how often the callback of the host came, and that of the default path. One call is right if the
              answer changed, none if it did not. If the route moves to another link, that is a change too.
            - *signals, GLib*: how often the signal `network-changed` came. It does not say what changed. It counts as missing if
              an answer changed and no signal came.

            Each program is asked only when it has nothing left to do. GLib's main loop runs until it has no timer left, so it
            gets the second after which it reads all routes again. With the module, which has its timers in a descriptor, it
            runs for 1.2 seconds first: the module's last look after a change comes within one. **Bold** is wrong. "–" means
            that the API cannot ask this.

            Right in every column:

            - this package in \(own) of \(outcomes.count)
            \(others.joined(separator: "\n"))

            \(table(
                heading: ["what happens", "host: kernel", "here"] + names + ["any network: kernel", "here"] + names
                    + ["callbacks: here", "signals: \(names[0])"] + names.dropFirst(),
                rows: outcomes.map(row)))
            \(missing.isEmpty ? "" : "\nNot played:\n\n" + missing.joined(separator: "\n") + "\n")
            Most errors of GLib 2.74 have one cause: it searches its own copy of the routes, so it does not know how rules,
            tables, route types, next-hop objects and the state of links affect them. GLib 2.90 asks the kernel about a host,
            and gives the kernel's answer for almost every one; but it does not look at the link of the route. For "any
            network" it still counts default routes, whatever rules, route types and links make of them. It signals only when
            default routes change.
            """
    }

    /// The columns of the versions of GLib.
    private var names: [String] { versions.map(\.name) }

    /// In how many scenarios each answer of a GLib, and its signals, are right.
    private func rightByColumn(_ number: Int) -> String {
        let asked = outcomes.filter { $0.host.glib[number] != nil }
        let hosts = asked.count { $0.host.glib[number] == $0.host.kernel }
        let networks = outcomes.count { $0.network.glib[number] == $0.network.kernel }
        return "the host in \(hosts) of \(asked.count), any network in \(networks), signals in "
            + "\(outcomes.count { $0.hasSignalled(number) })"
    }

    private func row(_ outcome: Outcome) -> [String] {
        let (host, network) = (outcome.host, outcome.network)
        let scenario = outcome.scenario
        var name = scenario.name
        if scenario.host.text != Scenario.farHost { name += " (`\(scenario.host.text)`)" }
        func told(_ count: Int, _ most: Int, _ course: Course) -> String {
            mark("\(count)", outcome.isRight(count, most, of: course))
        }
        func cells(_ answers: Outcome.Answers) -> [String] {
            [words(answers.kernel), words(answers.package, answers.kernel)]
                + answers.glib.map { $0.map { words($0, answers.kernel) } ?? "–" }
        }
        let most = scenario.mostTold
        let callbacks =
            "\(told(outcome.toldHost, most.host, host.kernel)), \(told(outcome.toldNetwork, most.network, network.kernel))"
        let signals = outcome.signals.indices.map { mark("\(outcome.signals[$0])", outcome.hasSignalled($0)) }
        return [name] + cells(host) + cells(network) + [callbacks] + signals
    }

    /// "yes → no", with answers that differ from the kernel's in bold.
    private func words(_ course: Course, _ truth: Course? = nil) -> String {
        func word(_ answer: Bool, _ right: Bool?) -> String { mark(answer ? "yes" : "no", answer == right ?? answer) }
        return "\(word(course.before, truth?.before)) → \(word(course.after, truth?.after))"
    }

    private func mark(_ text: String, _ isRight: Bool) -> String { isRight ? text : "**\(text)**" }

    // MARK: Figures

    private var costPart: String {
        """
        The load average was \(load) when the measurement began. Other programs affect these figures, so the growth from row
        to row says more than a single figure. Each watcher is a process of its own. All figures are medians.

        - *start*: from nothing to the first answer, with watching begun. Here that is a reference, its callback and
          `getFlags`; in GLib `g_network_monitor_get_default` and `can_reach`.
        - *memory*: by how much the process has grown meanwhile.
        - *again*: a question about an address that was asked about before. *New*: about one that was not. GLib makes no such
          difference; it is asked about 200 addresses in turn.
        - *program*: `ip route get`, from its start to its end.

        \(costTable)

        If there are default routes in both families, GLib 2.74 answers without a search. Otherwise, as on a router that has
        all of the Internet's routes, it searches all routes one by one. GLib 2.90 keeps no routes but the default ones; it
        lists all routes once, at the start, to find these. With few routes both start faster than this package, which opens
        more sockets and starts a thread.

        With the module, which starts no thread:

        \(moduleCostTable)

        A start includes the loading of the module and of `libreachability.so.1`.
        """
    }

    private var costTable: String {
        // Swift 6.2 gives up on a sum of so many lists.
        let names = plain.map(\.name)
        let heading: [[String]] = [
            ["routes", "start: here"], names, ["memory: here"], names, ["again: here", "new: here"], names, ["program"],
        ]
        let rows = costs.map { cost -> [[String]] in
            [
                [rowName(cost), time(cost.package.time)], plain.map { time(cost.glib[$0.number].time) },
                [memory(cost.package.memory)], plain.map { memory(cost.glib[$0.number].memory) },
                [time(cost.repeated), time(cost.first)], plain.map { time(cost.canReach[$0.number]) },
                [time(cost.program)],
            ]
        }
        return table(heading: heading.flatMap(\.self), rows: rows.map { $0.flatMap(\.self) })
    }

    private var moduleCostTable: String {
        let heading: [[String]] = ["start", "memory", "a question"].map { what in
            withModule.map { "\(what): \($0.name)" }
        }
        let rows = costs.map { cost -> [[String]] in
            [
                [rowName(cost)], withModule.map { time(cost.glib[$0.number].time) },
                withModule.map { memory(cost.glib[$0.number].memory) },
                withModule.map { time(cost.canReach[$0.number]) },
            ]
        }
        return table(heading: ["routes"] + heading.flatMap(\.self), rows: rows.map { $0.flatMap(\.self) })
    }

    /// The versions of GLib by themselves and with the module, with their places in the results.
    private var plain: [(number: Int, name: String)] { numbered.filter { !versions[$0.number].hasModule } }
    private var withModule: [(number: Int, name: String)] { numbered.filter { versions[$0.number].hasModule } }
    private var numbered: [(number: Int, name: String)] { versions.indices.map { ($0, versions[$0].name) } }

    private func rowName(_ cost: Cost) -> String { count(cost.routes) + (cost.hasDefault ? " and default" : "") }

    private var latencyPart: String {
        """
        The time from the send of a change of the default route until the callback or signal runs in the watching process.
        It is deleted and added again a hundred times. The changes are at least 4 ms apart.

        \(table(
            heading: ["", "deleted: median", "p99", "added: median", "p99"],
            rows: zip(["here, on a dispatch queue", "here, on the program's loop"] + names.map { "\($0), in its main loop" }, latencies).map {
                [$0] + [$1.deleted, $1.added].flatMap { [time($0.percentile(50)), time($0.percentile(99))] }
            }))

        The kernel announces a deletion before it makes it. A thread that is woken by the announcement on the processor of the
        thread that deletes takes the processor from that, and still finds the route. This package then waits for the kernel's lock
        (a question about a link does), and looks again.
        GLib signals by what the announcement says.

        On the program's loop, as in GLib, the callback runs in the thread that reads the announcements. A callback on a dispatch
        queue runs in a second thread, which has to be woken. The module looks at the path of the whole machine too.
        """
    }

    private var stormPart: String {
        """
        100,000 unrelated routes are added and deleted as fast as the kernel allows. Meanwhile a watcher runs, or is stopped
        (SIGSTOP) and then continued. Afterwards the default route is deleted. The table says whether the watcher still reports
        that, and whether it answers correctly. *Spent* is the watcher's processor time for the storm. *Woken* is how often it
        slept and was woken. The last column is the time that one change took the program that made it.

        \(table(
            heading: ["watcher", "still reports", "answers correctly", "spent", "woken", "one change takes"],
            rows: storms.map { storm in
                guard storm.isWatched else { return [storm.name, "–", "–", "–", "–", time(storm.change)] }
                return [
                    storm.name, mark(storm.tells ? "yes" : "no", storm.tells),
                    mark(storm.answersRightly ? "yes" : "no", storm.answersRightly), time(storm.processorTime),
                    count(storm.wakeUps), time(storm.change),
                ]
            }))

        If a watcher does not keep up, the kernel tells it that announcements were dropped. GLib then reports an error on its
        socket and stops reading it. It signals no further change. GLib 2.74 keeps answering from its old copy of the routes,
        and GLib 2.90 "any network" from its old default routes. This package evaluates everything again.
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

    /// Two or three significant digits.
    private func digits(_ value: Double) -> String {
        value >= 10 ? "\(Int(value.rounded()))" : "\(Int(value)).\(Int(value * 10) % 10)"
    }

    private func count(_ number: Int) -> String {
        let text = String(number)
        guard text.count > 3 else { return text }
        return count(number / 1000) + "," + text.suffix(3)
    }
}

func write(_ text: String, to path: String) throws {
    guard let file = unsafe fopen(path, "w") else { throw Errno(rawValue: errno) }
    defer { unsafe fclose(file) }
    guard unsafe fputs(text, file) >= 0 else { throw Errno(rawValue: errno) }
}
