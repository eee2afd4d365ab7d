// SPDX-License-Identifier: Apache-2.0
//
// Watches a host from the main thread's run loop. The code compiles on Apple's systems too.
//     run-loop-monitor www.swift.org
// A second argument is the number of changes after which it stops.

import Foundation
import SystemConfiguration

guard CommandLine.arguments.count > 1 else { exit(64) }
let host = CommandLine.arguments[1]

/// The callback's context.
final class Watch {
    var remaining: Int

    init(changes: Int) {
        remaining = changes
    }
}

let watch = Watch(changes: CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? -1 : -1)
var context = SCNetworkReachabilityContext()
context.info = Unmanaged.passUnretained(watch).toOpaque()

let changed: SCNetworkReachabilityCallBack = { _, flags, info in
    let watch = Unmanaged<Watch>.fromOpaque(info!).takeUnretainedValue()
    let thread = Thread.isMainThread ? "the main thread" : "another thread"
    print("\(flags.contains(.reachable) ? "reachable" : "not reachable"), called on \(thread)")
    watch.remaining -= 1
    if watch.remaining == 0 { CFRunLoopStop(CFRunLoopGetCurrent()) }
}

guard let target = SCNetworkReachabilityCreateWithName(nil, host),
    SCNetworkReachabilitySetCallback(target, changed, &context),
    SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
else {
    print("\(host): \(String(cString: SCErrorString(SCError())))")
    exit(2)
}
CFRunLoopRun()
SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
