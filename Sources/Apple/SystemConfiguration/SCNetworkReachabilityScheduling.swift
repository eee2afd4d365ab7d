// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Dispatch
import Foundation
import ReachabilityKit
import SystemConfigurationCore

/// Schedules the callback on a dispatch queue. Nil unschedules.
///
/// - Returns: false if the target is scheduled already, or, for nil, is not on a queue. Then `SCError()` is
///   `kSCStatusInvalidArgument`.
@discardableResult
public func SCNetworkReachabilitySetDispatchQueue(_ target: SCNetworkReachability, _ queue: DispatchQueue?) -> Bool {
    target.base?.setQueue(queue.map { .queue($0) }) ?? false
}

/// Schedules the callback on a run loop, in one of its modes.
///
/// A target may be scheduled on several loops and in several modes. Each call is made by one of the loops. A target
/// that is scheduled twice on the same loop and mode has to be unscheduled twice.
///
/// - Returns: false if the target is on a dispatch queue or an argument is nil. Then `SCError()` is
///   `kSCStatusInvalidArgument`.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CFString?
) -> Bool {
    target.base?.schedule(in: LoopAndMode(runLoop, runLoopMode), of: LinkedRunLoops()) ?? false
}

/// The same, for CoreFoundation's mode constants, which on Linux are of its own string class.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CoreFoundation.CFString
) -> Bool {
    target.base?.schedule(in: LoopAndMode(runLoop, runLoopMode.rawValue), of: LinkedRunLoops()) ?? false
}

/// Unschedules the callback from a run loop and mode, once.
///
/// - Returns: false if the target is not scheduled there. Then `SCError()` is `kSCStatusInvalidArgument`.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CFString?
) -> Bool {
    target.base?.unschedule(from: LoopAndMode(runLoop, runLoopMode)) ?? false
}

/// The same, for CoreFoundation's mode constants, which on Linux are of its own string class.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CoreFoundation.CFString
) -> Bool {
    target.base?.unschedule(from: LoopAndMode(runLoop, runLoopMode.rawValue)) ?? false
}
