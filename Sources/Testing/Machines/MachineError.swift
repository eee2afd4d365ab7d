// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem

/// Why a network is not in the state that a test wants, as a sentence.
public struct MachineError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String
    package let cause: Cause

    /// The cause behind the sentence.
    package enum Cause: Hashable, Sendable {
        /// A system call failed, or the kernel refused a request.
        case system(Errno)
        /// A command ended with a status other than 0.
        case command(status: Int32, complaints: String)
        /// Something that was waited for did not happen.
        case timedOut
        /// The request of the test is not valid.
        case mistake
    }

    private init(_ description: String, _ cause: Cause) { (self.description, self.cause) = (description, cause) }

    /// - Parameters:
    ///   - purpose: what was attempted, such as "make a network namespace".
    ///   - reason: the kernel's text about the error, if it gave one besides the number.
    package static func system(_ purpose: String, _ error: Errno, _ reason: String? = nil) -> MachineError {
        let reason = reason.map { "\($0) (\(error))" } ?? "\(error)"
        return MachineError("It failed to \(purpose): \(reason).", .system(error))
    }

    /// The error of the call that has just failed on this thread.
    package static func last(_ purpose: String) -> MachineError { .system(purpose, .current) }

    package static func command(_ command: String, status: Int32, complaints: String) -> MachineError {
        let rest = complaints.isEmpty ? "." : ": \(complaints)"
        return MachineError(
            "`\(command)` ended with \(status)\(rest)", .command(status: status, complaints: complaints))
    }

    package static func timedOut(waitingFor what: String, last: String) -> MachineError {
        let seen = last.isEmpty ? "." : ". Last seen: \(last)."
        return MachineError("Waited \(Machine.timeout) in vain for \(what)\(seen)", .timedOut)
    }

    /// Runs `body`, and throws its error as a sentence.
    static func attempt<Value: ~Copyable>(
        to purpose: String, _ body: () throws(Errno) -> Value
    ) throws(MachineError) -> Value {
        do throws(Errno) { return try body() } catch { throw .system(purpose, error) }
    }

    package static func mistake(_ sentence: String) -> MachineError { MachineError(sentence, .mistake) }
}
