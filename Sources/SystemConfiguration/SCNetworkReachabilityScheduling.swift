// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Dispatch
import Foundation
import LegacyReachability
import ReachabilityKit

/// Has the callback called on a queue, or with nil no longer.
///
/// - Returns: false where the target is scheduled already, or nil is given and it is not on a queue; `SCError()` is
///   `kSCStatusInvalidArgument` then.
@discardableResult
public func SCNetworkReachabilitySetDispatchQueue(_ target: SCNetworkReachability, _ queue: DispatchQueue?) -> Bool {
    target.base.setQueue(queue.map { .queue($0) })
}

/// Has the callback called by a run loop, in one of its modes.
///
/// A target may be scheduled on several loops and in several modes; one of the loops then makes each call. Scheduling
/// in the same place twice wants unscheduling twice.
///
/// - Returns: false where the target is on a dispatch queue or an argument is nil; `SCError()` is
///   `kSCStatusInvalidArgument` then.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CFString?
) -> Bool {
    target.base.schedule(in: RunLoopPlace(runLoop, runLoopMode), of: LinkedRunLoops())
}

/// The same, for the constants of CoreFoundation, which are of its own string class on Linux.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CoreFoundation.CFString
) -> Bool {
    target.base.schedule(in: RunLoopPlace(runLoop, runLoopMode.rawValue), of: LinkedRunLoops())
}

/// Ends one scheduling on a run loop and mode.
///
/// - Returns: false where the target is not scheduled there; `SCError()` is `kSCStatusInvalidArgument` then.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CFString?
) -> Bool {
    target.base.unschedule(from: RunLoopPlace(runLoop, runLoopMode))
}

/// The same, for the constants of CoreFoundation, which are of its own string class on Linux.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CoreFoundation.CFString
) -> Bool {
    target.base.unschedule(from: RunLoopPlace(runLoop, runLoopMode.rawValue))
}
