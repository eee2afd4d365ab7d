// SPDX-License-Identifier: Apache-2.0

/// The `info` of a client's context, for as long as it may be used.
///
/// The callback's closure holds the box, and so does every running callout. So `release` is called exactly once: when
/// the callback is replaced or set to nil, or the target is freed, but never while a callout uses the pointer. configd
/// guarantees that only for contexts with a `retain` (SCNetworkReachability.c l.1434, configd-1405).
@safe
package final class ContextBox: @unchecked Sendable {
    // The pointer belongs to the client. This class only returns it, so it adds no race.
    package let info: UnsafeMutableRawPointer?
    private let release: (UnsafeMutableRawPointer?) -> Void

    /// - Parameters:
    ///   - info: the result of the client's `retain`, or `info` itself if there is none.
    ///   - release: the client's function, called once.
    package init(info: UnsafeMutableRawPointer?, release: @escaping (UnsafeMutableRawPointer?) -> Void) {
        unsafe self.info = info
        unsafe self.release = unsafe release
    }

    deinit {
        unsafe release(info)
    }
}
