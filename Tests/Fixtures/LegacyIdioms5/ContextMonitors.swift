// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemConfiguration

/// Gives the target a weak wrapper of itself, which the context's functions retain and release.
package final class WeakMonitor {
    package var whenChanged: ((SCNetworkReachabilityFlags) -> Void)?
    /// Called when the wrapper is freed, which only `release` can do.
    package static func onWrapperFreed(_ body: @escaping @Sendable () -> Void, in monitor: WeakMonitor) {
        monitor.wrapperFreed = body
    }

    private var wrapperFreed: (@Sendable () -> Void)?
    private let reachability: SCNetworkReachability
    private let queue: DispatchQueue

    private final class Wrapper {
        weak var monitor: WeakMonitor?
        let freed: (@Sendable () -> Void)?
        init(_ monitor: WeakMonitor) {
            self.monitor = monitor
            freed = monitor.wrapperFreed
        }
        deinit { freed?() }
    }

    package init(_ reachability: SCNetworkReachability, queue: DispatchQueue) {
        self.reachability = reachability
        self.queue = queue
    }

    deinit { stop() }

    package func start() throws {
        let callback: SCNetworkReachabilityCallBack = { (reachability, flags, info) in
            guard let info = info else { return }
            let wrapper = Unmanaged<Wrapper>.fromOpaque(info).takeUnretainedValue()
            wrapper.monitor?.whenChanged?(flags)
        }
        let wrapper = Wrapper(self)
        let opaque = Unmanaged<Wrapper>.passUnretained(wrapper).toOpaque()
        var context = SCNetworkReachabilityContext(
            version: 0,
            info: UnsafeMutableRawPointer(opaque),
            retain: { (info: UnsafeRawPointer) -> UnsafeRawPointer in
                let unmanaged = Unmanaged<Wrapper>.fromOpaque(info)
                _ = unmanaged.retain()
                return UnsafeRawPointer(unmanaged.toOpaque())
            },
            release: { (info: UnsafeRawPointer) -> Void in
                Unmanaged<Wrapper>.fromOpaque(info).release()
            },
            copyDescription: { (info: UnsafeRawPointer) -> Unmanaged<CFString> in
                let wrapper = Unmanaged<Wrapper>.fromOpaque(info).takeUnretainedValue()
                let description = wrapper.monitor.map { "\($0)" } ?? "nil"
                return Unmanaged.passRetained(description as CFString)
            }
        )
        if !SCNetworkReachabilitySetCallback(reachability, callback, &context) {
            stop()
            throw SCCopyLastError()
        }
        if !SCNetworkReachabilitySetDispatchQueue(reachability, queue) {
            stop()
            throw SCCopyLastError()
        }
    }

    package func stop() {
        SCNetworkReachabilitySetCallback(reachability, nil, nil)
        SCNetworkReachabilitySetDispatchQueue(reachability, nil)
    }
}

/// Gives the target one reference to itself: a context with only `release`.
package final class ReleaseOnlyBox {
    private let body: (SCNetworkReachabilityFlags) -> Void
    private let freed: () -> Void

    package init(freed: @escaping () -> Void, _ body: @escaping (SCNetworkReachabilityFlags) -> Void) {
        self.freed = freed
        self.body = body
    }

    deinit { freed() }

    package static func attach(_ box: ReleaseOnlyBox, to reachability: SCNetworkReachability) {
        var context = SCNetworkReachabilityContext()
        context.info = Unmanaged.passRetained(box).toOpaque()
        context.release = { info in Unmanaged<ReleaseOnlyBox>.fromOpaque(info).release() }
        SCNetworkReachabilitySetCallback(
            reachability,
            { _, flags, info in Unmanaged<ReleaseOnlyBox>.fromOpaque(info!).takeUnretainedValue().body(flags) },
            &context)
    }
}
