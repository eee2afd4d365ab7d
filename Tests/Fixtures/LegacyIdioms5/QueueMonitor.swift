// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// Passes itself unretained, and schedules on a queue before or after setting the callback.
package final class QueueMonitor {
    package enum Order: CaseIterable, Sendable {
        case queueFirst, callbackFirst
    }

    package var whenChanged: ((SCNetworkReachabilityFlags) -> Void)?
    private let reachability: SCNetworkReachability
    private let queue: DispatchQueue

    package init?(host: String, queue: DispatchQueue) {
        guard let reachability = SCNetworkReachabilityCreateWithName(nil, host) else { return nil }
        self.reachability = reachability
        self.queue = queue
    }

    deinit { stop(.queueFirst) }

    @discardableResult
    package func start(_ order: Order) -> Bool {
        var context = SCNetworkReachabilityContext(
            version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
        context.info = UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
        let callback: SCNetworkReachabilityCallBack = { _, flags, info in
            guard let info = info else { return }
            Unmanaged<QueueMonitor>.fromOpaque(info).takeUnretainedValue().whenChanged?(flags)
        }
        switch order {
        case .queueFirst:
            guard SCNetworkReachabilitySetDispatchQueue(reachability, queue) else { return false }
            return SCNetworkReachabilitySetCallback(reachability, callback, &context)
        case .callbackFirst:
            guard SCNetworkReachabilitySetCallback(reachability, callback, &context) else { return false }
            return SCNetworkReachabilitySetDispatchQueue(reachability, queue)
        }
    }

    package func stop(_ order: Order) {
        switch order {
        case .queueFirst:
            SCNetworkReachabilitySetDispatchQueue(reachability, nil)
            SCNetworkReachabilitySetCallback(reachability, nil, nil)
        case .callbackFirst:
            SCNetworkReachabilitySetCallback(reachability, nil, nil)
            SCNetworkReachabilitySetDispatchQueue(reachability, nil)
        }
    }

    package var flags: SCNetworkReachabilityFlags? {
        var flags = SCNetworkReachabilityFlags()
        return SCNetworkReachabilityGetFlags(reachability, &flags) ? flags : nil
    }
}
