// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

let name = CommandLine.arguments.dropFirst().first ?? "www.swift.org"
guard let target = SCNetworkReachabilityCreateWithName(nil, name) else {
    print("\(name): \(SCCopyLastError())")
    exit(1)
}
var context = SCNetworkReachabilityContext()
SCNetworkReachabilitySetCallback(
    target,
    { _, flags, _ in
        let isOnline = flags.contains(.reachable) && !flags.contains(.connectionRequired)
        print(isOnline ? "online" : "offline")
        fflush(nil)  // into a pipe, too
    }, &context)
SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
CFRunLoopRun()
