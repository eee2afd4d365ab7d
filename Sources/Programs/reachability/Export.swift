// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit
import ReachabilityLinuxSystem

/// `reachability export`: the states as metrics, once, or in a file that is kept current.
struct Export {
    private let arguments: Arguments
    private let targets: [NamedReference]

    /// Two targets with one name would be two samples with the same labels, which is an error.
    init(arguments: Arguments, references: [NamedReference]) {
        self.arguments = arguments
        var seen: Set<String> = []
        targets = references.filter { seen.insert($0.word.exportedName).inserted }
    }

    func run() throws(ReachabilityError) -> ExitStatus {
        let paths = try Self.paths(arguments.options)
        guard let textfile = arguments.textfile else { return print(paths) }
        return try TextfileExport(path: textfile, targets: targets, paths: paths).run()
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
        var answers: [Explanation?] = []
        ConcurrentCheck(references: targets) { named, resolution throws(ReachabilityError) in
            try named.reference.explanation(resolvedTo: resolution)
        }.run { answers.append($0.valueOrComplaint()) }
        let state = ExportedState(
            targets: zip(targets, answers).map { .init(name: $0.word.exportedName, answer: $1) },
            paths: paths.map { path in
                let answer = Result { () throws(ReachabilityError) in try path.reference.explain() }
                return .init(name: path.name, answer: answer.valueOrComplaint())
            })
        Output.result(String(state.text.dropLast()))
        return (state.targets + state.paths).allSatisfy { $0.answer != nil } ? .allReachable : .undetermined
    }
}

/// What is known about this machine's targets at one moment, to be written as metrics.
struct ExportedState {
    /// A target, or the default route of a family.
    struct Subject {
        /// The value of the label `target`; for a default route, of `family`.
        let name: String
        /// Nil while nothing is known: a name is being resolved, or the kernel could not be asked.
        var answer: Explanation?
        /// How often the flags, the interface or the gateway have changed, and when that was last; before the first change, when the
        /// state was first known. Nil if changes are not counted.
        var history: (changes: Int, since: WallTime)?

        /// A control character would be written raw: the format has no escape for it.
        fileprivate var label: MetricFamily.Label { ("target", name.printable) }
    }

    var targets: [Subject]
    var paths: [Subject]

    /// The metrics. Each has one sample for each target at most, so their number does not grow.
    var text: String { families.map(\.text).joined() }

    private var families: [MetricFamily] {
        let known = targets.compactMap { target in target.answer.map { (label: target.label, answer: $0) } }
        let counted = targets.compactMap { target in target.history.map { (label: target.label, history: $0) } }
        return [
            MetricFamily(
                name: "reachability_up", kind: .gauge,
                help: "Whether a packet to the target would leave this machine (1) or not (0).",
                samples: known.map { ([$0.label], $0.answer.flags.isReachable ? "1" : "0") }),
            MetricFamily(
                name: "reachability_flags", kind: .gauge,
                help: "The SCNetworkReachabilityFlags of the target as a number.",
                samples: known.map { ([$0.label], "\($0.answer.flags.rawValue)") }),
            MetricFamily(
                name: "reachability_changes_total", kind: .counter,
                help: "Changes of the flags, the interface or the gateway since the exporter began.",
                samples: counted.map { ([$0.label], "\($0.history.changes)") }),
            MetricFamily(
                name: "reachability_last_change_timestamp_seconds", kind: .gauge,
                help: "When the last change was; before the first one, when the state was first known.",
                samples: counted.map { ([$0.label], Timestamp.unix($0.history.since)) }),
            MetricFamily(
                name: "reachability_info", kind: .gauge,
                help: "Where packets to the target leave now, and why the state is as it is.",
                samples: known.map { ([$0.label] + Self.details($0.answer), "1") }),
            MetricFamily(
                name: "reachability_path_up", kind: .gauge,
                help: "Whether packets of the family can leave by a default route (1) or not (0).",
                samples: paths.compactMap { path in
                    path.answer.map { ([("family", path.name)], $0.flags.isReachable ? "1" : "0") }
                }),
            // Present for as long as the exporter runs.
            MetricFamily(
                name: "reachability_build_info", kind: .gauge, help: "The version of the exporter.",
                samples: [([("version", packageVersion)], "1")]),
        ]
    }

    /// Always all labels, so that queries need not ask which there are.
    private static func details(_ answer: Explanation) -> [MetricFamily.Label] {
        let details = [
            ("interface", answer.interface), ("gateway", answer.gateway), ("table", answer.table),
            ("source", answer.source), ("reason", answer.reasonCode),
        ]
        return details.map { ($0, ($1 ?? "").printable) }
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
