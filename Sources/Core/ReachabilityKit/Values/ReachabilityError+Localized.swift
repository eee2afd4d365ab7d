// SPDX-License-Identifier: Apache-2.0

/// What Foundation asks of an error. This module does without Foundation, and only a conformance to its
/// `LocalizedError` makes `(error as any Error).localizedDescription` a sentence. The modules SystemConfiguration and
/// Network declare it. A program that imports neither may do so itself: `extension ReachabilityError: @retroactive
/// LocalizedError {}`.
extension ReachabilityError {
    /// The sentence of ``description``.
    public var localizedDescription: String { description }

    /// The sentence of ``description``.
    public var errorDescription: String? { description }
}
