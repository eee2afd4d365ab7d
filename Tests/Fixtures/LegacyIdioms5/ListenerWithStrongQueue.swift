// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// The form in which SCNetworkReachability is often taught: target and queue in optional constants, a typed closure in
/// a local variable, `self` as the context, the first flags read explicitly, and both stopped with nil.
package class Listener {
    private let reachability: SCNetworkReachability?
    private let queue: DispatchQueue
    private var current: SCNetworkReachabilityFlags?
    private var isListening = false
    private let report: (SCNetworkReachabilityFlags) -> Void

    package init(host: String, queue: DispatchQueue, report: @escaping (SCNetworkReachabilityFlags) -> Void) {
        reachability = SCNetworkReachabilityCreateWithName(nil, host)
        self.queue = queue
        self.report = report
    }

    package func start() {
        guard !isListening else { return }
        guard let reachability = reachability else { return }
        var context = SCNetworkReachabilityContext(
            version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
        context.info = UnsafeMutableRawPointer(Unmanaged<Listener>.passUnretained(self).toOpaque())
        let closure: SCNetworkReachabilityCallBack? = {
            (reachability: SCNetworkReachability, flags: SCNetworkReachabilityFlags, info: UnsafeMutableRawPointer?) in
            guard let info = info else { return }
            let listener = Unmanaged<Listener>.fromOpaque(info).takeUnretainedValue()
            listener.check(flags: flags)
        }
        if !SCNetworkReachabilitySetCallback(reachability, closure, &context) { return }
        if !SCNetworkReachabilitySetDispatchQueue(reachability, queue) { return }
        queue.sync {
            current = nil
            var flags = SCNetworkReachabilityFlags()
            SCNetworkReachabilityGetFlags(reachability, &flags)
            check(flags: flags)
        }
        isListening = true
    }

    private func check(flags: SCNetworkReachabilityFlags) {
        if current != flags {
            current = flags
            report(flags)
        }
    }

    package func stop() {
        guard isListening, let reachability = reachability else { return }
        SCNetworkReachabilitySetCallback(reachability, nil, nil)
        SCNetworkReachabilitySetDispatchQueue(reachability, nil)
        isListening = false
    }
}
