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
