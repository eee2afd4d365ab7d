// SPDX-License-Identifier: Apache-2.0

/// The `info` of a client's context, for as long as anybody may use it.
///
/// The callback's closure holds it, and so does every callout that is under way. So `release` is called exactly once:
/// on replacement, on nil or on finalization, but never while a callout still uses the pointer. configd gives that
/// guarantee only to contexts with a `retain` (SCNetworkReachability.c l.1434, configd-1405).
@safe
package final class ContextBox: @unchecked Sendable {
    // The pointer is the client's; this class only hands it out, so there is nothing that could race.
    package let info: UnsafeMutableRawPointer?
    private let release: ((UnsafeMutableRawPointer?) -> Void)?

    /// - Parameters:
    ///   - info: what the client's `retain` returned, or `info` itself where it has none.
    ///   - release: the client's, called once.
    package init(info: UnsafeMutableRawPointer?, release: ((UnsafeMutableRawPointer?) -> Void)?) {
        unsafe self.info = info
        unsafe self.release = unsafe release
    }

    deinit {
        unsafe release?(info)
    }
}
