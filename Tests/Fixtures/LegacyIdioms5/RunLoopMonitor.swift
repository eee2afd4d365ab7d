// SPDX-License-Identifier: Apache-2.0

import SystemConfiguration

/// Scheduling on a run loop, in the spellings that programs use.
package enum RunLoopMonitor {
    package enum ModeSpelling: CaseIterable, Sendable {
        case commonModesRawValue, defaultModeRawValue, runLoopModeAsCFString, defaultRunLoopModeAsCFString
        case coreFoundationConstant, coreFoundationDefaultConstant, text
    }

    @discardableResult
    package static func schedule(_ target: SCNetworkReachability, on loop: CFRunLoop, _ mode: ModeSpelling) -> Bool {
        switch mode {
        case .commonModesRawValue:
            return SCNetworkReachabilityScheduleWithRunLoop(target, loop, CFRunLoopMode.commonModes.rawValue)
        case .defaultModeRawValue:
            return SCNetworkReachabilityScheduleWithRunLoop(target, loop, CFRunLoopMode.defaultMode.rawValue)
        case .runLoopModeAsCFString:
            return SCNetworkReachabilityScheduleWithRunLoop(target, loop, RunLoop.Mode.common as CFString)
        case .defaultRunLoopModeAsCFString:
            return SCNetworkReachabilityScheduleWithRunLoop(target, loop, RunLoop.Mode.default as CFString)
        case .coreFoundationConstant:
            return SCNetworkReachabilityScheduleWithRunLoop(target, loop, kCFRunLoopCommonModes)
        case .coreFoundationDefaultConstant:
            return SCNetworkReachabilityScheduleWithRunLoop(target, loop, kCFRunLoopDefaultMode)
        case .text:
            return SCNetworkReachabilityScheduleWithRunLoop(target, loop, "kCFRunLoopDefaultMode" as CFString)
        }
    }

    @discardableResult
    package static func unschedule(_ target: SCNetworkReachability, from loop: CFRunLoop, _ mode: ModeSpelling) -> Bool
    {
        switch mode {
        case .commonModesRawValue, .runLoopModeAsCFString, .coreFoundationConstant:
            return SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, CFRunLoopMode.commonModes.rawValue)
        case .defaultModeRawValue, .defaultRunLoopModeAsCFString, .coreFoundationDefaultConstant, .text:
            return SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, RunLoop.Mode.default as CFString)
        }
    }

    /// The current thread's loop, by either of its names.
    package static func scheduleOnCurrentLoop(_ target: SCNetworkReachability) -> Bool {
        SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
    }
}
