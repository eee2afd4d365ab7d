// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// As much of swift-service-lifecycle's interface as Examples/Ecosystem uses.

public protocol Service: Sendable {
    func run() async throws
}

public struct AsyncCancelOnGracefulShutdownSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element: Sendable {
    let base: Base

    public func makeAsyncIterator() -> Base.AsyncIterator { base.makeAsyncIterator() }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    public func cancelOnGracefulShutdown() -> AsyncCancelOnGracefulShutdownSequence<Self> { .init(base: self) }
}
