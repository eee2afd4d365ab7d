// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Why a topology could not be built, or did not reach a state that a test waits for.
package enum TopologyError: Error, Hashable {
    /// A system call failed. The text names its purpose.
    case system(String, Errno)
    /// A command ended with a status other than 0.
    case command(String, status: Int32, complaints: String)
    /// The state was not reached.
    case timedOut(waitingFor: String, last: String)
}

extension TopologyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .system(let purpose, let error): "\(purpose): \(error)"
        case .command(let command, let status, let complaints): "`\(command)` ended with \(status): \(complaints)"
        case .timedOut(let condition, let last): "waited in vain for \(condition); last seen: \(last)"
        }
    }

    /// The error of the call that has just failed on this thread.
    static func last(_ purpose: String) -> TopologyError {
        .system(purpose, .ofLastCall)
    }
}
