// SPDX-License-Identifier: Apache-2.0

package import ReachabilityLinuxSystem
package import ReachabilityNetlink

/// Why the kernel or a name server could not be asked, or a request could not be carried out. "Not reachable" is an answer and
/// never an error.
///
/// All errors of this module are of this type, so in a plain `catch`, `error` has it:
///
/// ```swift
/// do {
///     print("\(name): \(try ReachabilityRef(hostname: name).getFlags())")
/// } catch {
///     guard error.code == .invalidTarget else { throw error }
///     print("write it otherwise: \(error)")
/// }
/// ```
///
/// If other errors are thrown as well, `error` is `any Error`, and a pattern such as `catch let error as ReachabilityError` is
/// needed. Do not use the pattern elsewhere: there it is always true, and in a throwing function it can crash the compiler of
/// Swift 6.3.1.
public struct ReachabilityError: Error, Hashable, Sendable {
    /// The kind of a failure. Later versions may add more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value {
            case invalidTarget, invalidOption, noSuchInterface, kernelUnavailable, scheduling
            case unsupported, timedOut, cancelled, invalidSocket
        }
        private let value: Value

        /// The name of the code, such as "invalidTarget".
        public var description: String { "\(value)" }

        /// The target is written in a way that can never be resolved or looked up.
        public static let invalidTarget = Code(value: .invalidTarget)
        /// The value of an option cannot be used.
        public static let invalidOption = Code(value: .invalidOption)
        /// No interface can have the given name.
        public static let noSuchInterface = Code(value: .noSuchInterface)
        /// The kernel could not be asked; ``ReachabilityError/errno`` says why.
        public static let kernelUnavailable = Code(value: .kernelUnavailable)
        /// Scheduling calls were made in the wrong order; for example, a reference was scheduled twice.
        public static let scheduling = Code(value: .scheduling)
        /// This system does not provide, or does not allow, what the operation needs.
        public static let unsupported = Code(value: .unsupported)
        /// The timeout has passed.
        public static let timedOut = Code(value: .timedOut)
        /// The calling task was cancelled.
        public static let cancelled = Code(value: .cancelled)
        /// The descriptor is not a connected TCP or UDP socket.
        public static let invalidSocket = Code(value: .invalidSocket)
    }

    /// The kind of failure.
    public let code: Code
    /// The operation that failed, such as "look up a route".
    public let operation: String
    /// The object of the operation, such as the target; empty if there is nothing to name.
    public let object: String
    /// What is wrong, and what would be right, if that is known.
    public let explanation: String
    /// The system's error number, if a system call failed.
    public let errno: Int32?

    package init(_ code: Code, _ operation: String, _ object: String = "", _ explanation: String, errno: Int32? = nil) {
        (self.code, self.operation, self.object) = (code, operation, object)
        (self.explanation, self.errno) = (explanation, errno)
    }
}

extension ReachabilityError: CustomStringConvertible {
    /// One sentence: the operation, its object and the cause. Control characters are escaped.
    public var description: String {
        let subject = object.isEmpty ? "" : " '\(object)'"
        return "cannot \(operation)\(subject): \(explanation)".printable
    }
}

extension ReachabilityError {
    package static func kernel(_ operation: String, _ object: String = "", _ error: Errno) -> ReachabilityError {
        ReachabilityError(.kernelUnavailable, operation, object, "\(error)", errno: error.rawValue)
    }

    package init(_ error: NetlinkError, object: String = "") {
        switch error {
        case .system(let operation, let errno):
            self = .kernel(operation.rawValue, object, errno)
        case .refused(let errno):
            self = .kernel("look up a route", object, errno)
        case .answersLost:
            self.init(
                .kernelUnavailable, "look up a route", object, "the kernel's answers were lost repeatedly",
                errno: Errno.noBufferSpace.rawValue)
        case .malformed(let problem):
            self.init(
                .kernelUnavailable, "read the kernel's answer", object, "unexpected bytes at offset \(problem.offset)",
                errno: Errno.badMessage.rawValue)
        case .needsNetlink:
            self.init(
                .unsupported, "look up", object,
                "netlink is forbidden here, and without it neither marks nor user ids can be taken into account")
        }
    }
}

/// The properties that Foundation expects of an error. This module does not use Foundation, and only a conformance to
/// Foundation's `LocalizedError` makes `(error as any Error).localizedDescription` a useful sentence. The modules
/// SystemConfiguration and Network declare it. A program that imports neither may declare it itself: `extension
/// ReachabilityError: @retroactive LocalizedError {}`.
extension ReachabilityError {
    /// The sentence of ``description``.
    public var localizedDescription: String { description }

    /// The sentence of ``description``.
    public var errorDescription: String? { description }
}
