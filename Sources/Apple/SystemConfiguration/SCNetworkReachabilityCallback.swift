// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import Foundation
import SystemConfigurationCore

/// Called when the flags have changed, with the target, its new flags, and the context's `info`.
public typealias SCNetworkReachabilityCallBack = (
    SCNetworkReachability, SCNetworkReachabilityFlags, UnsafeMutableRawPointer?
) -> Void

/// A client's pointer, and the functions that retain and release it.
@safe
public struct SCNetworkReachabilityContext {
    /// The version of this structure: 0. It is ignored.
    public var version: CFIndex
    /// Passed to the callback.
    public var info: UnsafeMutableRawPointer?
    /// Called with `info` when the callback is set. Its result replaces `info`.
    public var retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?
    /// Called with `info` once: when the callback is replaced or set to nil, or the target is freed.
    public var release: (@convention(c) (UnsafeRawPointer) -> Void)?
    /// Part of Apple's structure. It is never called.
    public var copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?

    /// Makes an empty context.
    public init() {
        version = 0
    }

    /// Makes a context.
    public init(
        version: CFIndex, info: UnsafeMutableRawPointer?,
        retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?,
        release: (@convention(c) (UnsafeRawPointer) -> Void)?,
        copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?
    ) {
        self.version = version
        unsafe self.info = info
        unsafe self.retain = retain
        unsafe self.release = release
        unsafe self.copyDescription = copyDescription
    }
}

/// Sets the callback for changes of the flags; nil for none. May be called before or after scheduling, and from the
/// callback itself.
///
/// - Parameters:
///   - target: the target.
///   - callout: the callback. It is called on the queue or run loop that the target is scheduled on.
///   - context: the pointer for the callback. It is copied. `release` is called once for each context that was set.
/// - Returns: true.
@discardableResult
public func SCNetworkReachabilitySetCallback(
    _ target: SCNetworkReachability, _ callout: SCNetworkReachabilityCallBack?,
    _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
    guard let base = target.base else { return false }
    let box = unsafe context.map {
        unsafe ContextBox(retaining: $0.pointee.info, retain: $0.pointee.retain, release: $0.pointee.release)
    }
    let client = unsafe ClientCallout(run: callout)
    base.setCallback { owner, flags in
        guard let run = unsafe client.run, let target = owner as? SCNetworkReachability else { return }
        // The closure holds the box, and the core holds the closure while it runs, so `info` outlives this call.
        unsafe run(target, SCNetworkReachabilityFlags(flags), box?.info)
    }
    return true
}

/// A client's function. The client allows it to run where it is scheduled.
@safe
private struct ClientCallout: @unchecked Sendable {
    let run: SCNetworkReachabilityCallBack?
}
