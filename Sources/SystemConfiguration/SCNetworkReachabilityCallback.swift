// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import Foundation
import LegacyReachability

/// What is called when the flags have changed: with the target, its new flags, and the context's `info`.
public typealias SCNetworkReachabilityCallBack = (
    SCNetworkReachability, SCNetworkReachabilityFlags, UnsafeMutableRawPointer?
) -> Void

/// A client's own pointer, and how it is held.
@safe
public struct SCNetworkReachabilityContext {
    /// The version of this structure: 0. It is never looked at.
    public var version: CFIndex
    /// Passed to the callback.
    public var info: UnsafeMutableRawPointer?
    /// Called with `info` when the callback is set; what it returns takes the place of `info`.
    public var retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?
    /// Called with `info` once, when the callback is replaced or set to nil, or the target is freed.
    public var release: (@convention(c) (UnsafeRawPointer) -> Void)?
    /// Kept for Apple's sake; nobody calls it.
    public var copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?

    /// A context with nothing in it.
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

/// Sets what is called when the flags change; nil for nothing. May be called before or after scheduling, and from the
/// callback itself.
///
/// - Parameters:
///   - target: whose changes.
///   - callout: what is called, where the target is scheduled.
///   - context: what is passed along; it is copied. `release` is called once for each context that was set.
/// - Returns: true.
@discardableResult
public func SCNetworkReachabilitySetCallback(
    _ target: SCNetworkReachability, _ callout: SCNetworkReachabilityCallBack?,
    _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
    let box = unsafe context.map { unsafe ContextBox(retaining: $0.pointee) }
    let client = unsafe ClientCallout(run: callout)
    target.base.setCallback { owner, flags in
        guard let run = unsafe client.run, let target = owner as? SCNetworkReachability else { return }
        // The closure holds the box, and the core holds the closure while it runs: `info` outlives this call.
        unsafe run(target, SCNetworkReachabilityFlags(flags), box?.info)
    }
    return true
}

/// A client's function. It runs where the client scheduled it, which is the client's word that it may.
@safe
private struct ClientCallout: @unchecked Sendable {
    let run: SCNetworkReachabilityCallBack?
}

extension ContextBox {
    /// Retains what the context points to. Swift's pointers are never null, so a null `info` is not passed on.
    fileprivate convenience init(retaining context: SCNetworkReachabilityContext) {
        guard let given = unsafe context.info else {
            unsafe self.init(info: nil, release: nil)
            return
        }
        var info = unsafe given
        if let retain = unsafe context.retain {
            unsafe info = UnsafeMutableRawPointer(mutating: retain(info))
        }
        guard let release = unsafe context.release else {
            unsafe self.init(info: info, release: nil)
            return
        }
        unsafe self.init(info: info) { unsafe $0.map { unsafe release($0) } }
    }
}
