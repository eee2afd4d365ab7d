// SPDX-License-Identifier: Apache-2.0

/// The `info` of a client's context, for as long as it may be used.
///
/// The callback's closure holds the box, and so does every running callout. So `release` is called exactly once: when
/// the callback is replaced or set to nil, or the target is freed, but never while a callout uses the pointer. configd
/// guarantees that only for contexts with a `retain` (SCNetworkReachability.c l.1434, configd-1405).
@safe
package final class ContextBox: @unchecked Sendable {
    package typealias Retain = @convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer?
    package typealias Release = @convention(c) (UnsafeRawPointer?) -> Void

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

    /// Retains the `info` of a client's context. A null `info` is passed on too, as configd does
    /// (SCNetworkReachabilitySetCallback in SCNetworkReachability.c, configd-1405).
    package convenience init(
        retaining given: UnsafeMutableRawPointer?, retain: Retain?, release: Release?
    ) {
        var info = unsafe given
        if let retain = unsafe retain { unsafe info = UnsafeMutableRawPointer(mutating: retain(info)) }
        unsafe self.init(info: info) { unsafe release?($0) }
    }

    deinit {
        unsafe release(info)
    }
}
