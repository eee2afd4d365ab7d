// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// `reachability check`: one answer for each target, in the order given.
struct Check {
    let arguments: Arguments
    let references: [(text: String, reference: ReachabilityRef)]

    func run() -> ExitStatus {
        var worst = ExitStatus.allReachable
        for (text, reference) in references {
            do throws(ReachabilityError) {
                let isReachable = try report(text, reference)
                if !isReachable { worst = max(worst, .notAllReachable) }
            } catch {
                Output.complaint(error.description)
                worst = max(worst, .undetermined)
            }
        }
        return worst
    }

    /// Prints the answer for one target; says whether it is reachable.
    private func report(_ text: String, _ reference: ReachabilityRef) throws(ReachabilityError) -> Bool {
        guard arguments.isJSON || arguments.isExplaining else {
            let flags = try reference.getFlags()
            Output.result("\(text): \(flags)")
            return flags.isReachable
        }
        let explanation = try reference.explain()
        Output.result(
            arguments.isJSON ? JSONText(target: text, explanation).text : explanation.description(titled: text))
        return explanation.flags.isReachable
    }
}
