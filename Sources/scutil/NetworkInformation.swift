// SPDX-License-Identifier: Apache-2.0

import ReachabilityKit

/// `scutil --nwi`: what is known of the interfaces that lead out (nwi, configd-1405).
struct NetworkInformationCommand {
    /// The words behind `--nwi`: an interface, or none.
    let words: [String]

    func run() -> Int32 {
        do throws(ReachabilityError) {
            let information = NetworkInformationText(try PathSource().current(), only: words.first)
            Output.line(information.text)
            return information.hasState ? 0 : 1
        } catch {
            Output.complaint("scutil: \(error.description)")
            return 1
        }
    }
}
