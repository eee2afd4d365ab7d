// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReachabilityKit

/// `reachability export`: the states as metrics, once, or in a file that is kept current.
struct Export {
    private let arguments: ExportArguments
    private let options: ReachabilityOptions
    private let targets: [NamedReference]

    /// Two targets with one name would be two samples with the same labels, which is an error in both formats.
    init(arguments: Arguments, references: [NamedReference]) {
        self.arguments = arguments.export
        options = arguments.options
        var seen: Set<String> = []
        targets = references.filter { seen.insert($0.word.exportedName).inserted }
    }

    func run() -> ExitStatus {
        do throws(ReachabilityError) {
            let paths = try Self.paths(options)
            guard let textfile = arguments.textfile else { return print(paths) }
            return TextfileExport(path: textfile, format: arguments.format, targets: targets, paths: paths).run()
        } catch {
            Output.complaint(error.description)
            return error.code == .invalidOption ? .usage : .undetermined
        }
    }

    /// The default routes of the machine, or of the network namespace that was asked for. Other options are about packets to the
    /// targets.
    private static func paths(
        _ options: ReachabilityOptions
    ) throws(ReachabilityError) -> [(name: String, reference: ReachabilityRef)] {
        var plain = ReachabilityOptions()
        plain.networkNamespace = options.networkNamespace
        let v4 = try ReachabilityRef(target: .defaultPathOf(.v4), options: plain)
        let v6 = try ReachabilityRef(target: .defaultPathOf(.v6), options: plain)
        return [("ipv4", v4), ("ipv6", v6)]
    }

    // MARK: Once

    private func print(_ paths: [(name: String, reference: ReachabilityRef)]) -> ExitStatus {
        var status = ExitStatus.allReachable
        func answer(_ result: Result<Explanation, ReachabilityError>) -> Explanation? {
            switch result {
            case .success(let answer): return answer
            case .failure(let error):
                Output.complaint(error.description)
                status = .undetermined
                return nil
            }
        }
        let state = ExportedState(
            targets: zip(targets, answers()).map { .init(name: $0.word.exportedName, answer: answer($1)) },
            paths: paths.map { path in
                .init(
                    name: path.name,
                    answer: answer(Result { () throws(ReachabilityError) in try path.reference.explain() }))
            })
        Output.result(String(arguments.format.text(state.families).dropLast()))
        return status
    }

    private func answers() -> [Result<Explanation, ReachabilityError>] {
        var answers: [Result<Explanation, ReachabilityError>] = []
        let concurrent = ConcurrentCheck(
            references: targets,
            resolved: { named, resolution throws(ReachabilityError) in
                try named.reference.explanation(resolvedTo: resolution)
            },
            unresolved: { named throws(ReachabilityError) in try named.reference.explain() })
        if targets.contains(where: \.reference.isName), concurrent.run({ answer, _ in answers.append(answer) }) {
            return answers
        }
        return targets.map { named in
            Result { () throws(ReachabilityError) in try named.reference.explain() }
        }
    }
}

/// What is known about this machine's targets at one moment, to be written as metrics.
struct ExportedState: Equatable, Sendable {
    /// A target, or the default route of a family.
    struct Subject: Equatable, Sendable {
        /// The value of the label `target`; for a default route, of `family`.
        let name: String
        /// Nil while nothing is known: a name is being resolved, or the kernel could not be asked.
        var answer: Explanation?
        /// Nil if changes are not counted.
        var history: History?
    }

    /// The changes of the flags, the interface and the gateway.
    struct History: Equatable, Sendable {
        let changes: Int64
        /// When the last one was; before the first one, when the state was first known.
        let since: WallTime
        /// When the state was first known.
        let began: WallTime
    }

    var targets: [Subject]
    var paths: [Subject]

    /// The metrics. Each has one sample for each target at most, so their number does not grow.
    var families: [MetricFamily] {
        [
            gauge("reachability_up", "Whether a packet to the target would leave this machine (1) or not (0).") {
                .number($0.flags.isReachable ? 1 : 0)
            },
            gauge("reachability_flags", "The SCNetworkReachabilityFlags of the target as a number.") {
                .number(Int64($0.flags.rawValue))
            },
            changes, lastChange, info, pathUp, build,
        ]
    }

    private func gauge(
        _ name: String, _ help: String, _ value: (Explanation) -> MetricSample.Value
    ) -> MetricFamily {
        let samples = targets.compactMap { target in
            target.answer.map { MetricSample(labels: [target.label], value: value($0)) }
        }
        return MetricFamily(name: name, kind: .gauge, help: help, samples: samples)
    }

    private var changes: MetricFamily {
        let samples = targets.compactMap { target in
            target.history.map { history in
                MetricSample(labels: [target.label], value: .number(history.changes), created: history.began)
            }
        }
        return MetricFamily(
            name: "reachability_changes", kind: .counter,
            help: "Changes of the flags, the interface or the gateway since the exporter began.", samples: samples)
    }

    private var lastChange: MetricFamily {
        let samples = targets.compactMap { target in
            target.history.map { MetricSample(labels: [target.label], value: .moment($0.since)) }
        }
        return MetricFamily(
            name: "reachability_last_change_timestamp_seconds", kind: .gauge, unit: "seconds",
            help: "When the last change was; before the first one, when the exporter began.", samples: samples)
    }

    private var info: MetricFamily {
        let samples = targets.compactMap { target in
            target.answer.map { answer in
                // Always all labels, so that queries need not ask which there are.
                let details: [(String, String?)] = [
                    ("interface", answer.interface), ("gateway", answer.gateway), ("table", answer.table),
                    ("source", answer.source), ("reason", answer.reasonCode),
                ]
                let labels = details.map { MetricSample.Label(name: $0, value: ($1 ?? "").printable) }
                return MetricSample(labels: [target.label] + labels, value: .number(1))
            }
        }
        return MetricFamily(
            name: "reachability", kind: .info,
            help: "Where packets to the target leave now, and why the state is as it is.",
            samples: samples)
    }

    private var pathUp: MetricFamily {
        let samples = paths.compactMap { path in
            path.answer.map { answer in
                MetricSample(
                    labels: [.init(name: "family", value: path.name)],
                    value: .number(answer.flags.isReachable ? 1 : 0))
            }
        }
        return MetricFamily(
            name: "reachability_path_up", kind: .gauge,
            help: "Whether packets of the family can leave by a default route (1) or not (0).", samples: samples)
    }

    /// There as long as the exporter is.
    private var build: MetricFamily {
        MetricFamily(
            name: "reachability_build", kind: .info, help: "The version of the exporter.",
            samples: [MetricSample(labels: [.init(name: "version", value: packageVersion)], value: .number(1))])
    }
}

extension ExportedState.Subject {
    /// A control character would be written raw: neither format has an escape for it.
    fileprivate var label: MetricSample.Label { .init(name: "target", value: name.printable) }
}

extension ExportedState.History {
    init(_ state: WatchedState) {
        (changes, since, began) = (Int64(state.changes), state.since, state.began)
    }
}

extension TargetWord {
    /// The target without what does not matter to it: monitoring is no place for the password in a URL, and two ports of a host
    /// are one target.
    var exportedName: String {
        switch target {
        case .name(let name): name
        case .address(let address): address
        case .pair(let local, let remote): "\(local ?? ""),\(remote ?? "")"
        case .defaultPath: "default"
        }
    }
}
