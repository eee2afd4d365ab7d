// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// As much of swift-log's interface as Examples/Ecosystem uses.

public struct Logger: Sendable {
    public struct Message: ExpressibleByStringInterpolation, Sendable {
        public init(stringLiteral value: String) {}
    }

    public init(label: String) {}

    public func trace(_ message: @autoclosure () -> Message) {}
}
