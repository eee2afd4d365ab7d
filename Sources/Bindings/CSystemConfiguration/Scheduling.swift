// SPDX-License-Identifier: Apache-2.0

public import CSystemConfigurationHeaders
import ReachabilityKit
import SystemConfigurationCore

/// Apple's function.
@_cdecl("SCNetworkReachabilitySetCallback")
public func SCNetworkReachabilitySetCallback(
    _ target: OpaquePointer?, _ callout: SCNetworkReachabilityCallBack?,
    _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
    guard let object = unsafe object(target) else { return false }
    let box = unsafe context.map {
        unsafe ContextBox(retaining: $0.pointee.info, retain: $0.pointee.retain, release: $0.pointee.release)
    }
    let client = unsafe ClientCallout(run: callout)
    object.setCallback { owner, flags in
        guard let run = unsafe client.run else { return }
        let target = unsafe OpaquePointer(Unmanaged.passUnretained(owner).toOpaque())
        unsafe run(target, flags.rawValue, box?.info)
    }
    return true
}

/// A client's function. The client allows it to run where it is scheduled.
@safe
private struct ClientCallout: @unchecked Sendable {
    let run: SCNetworkReachabilityCallBack?
}

/// Apple's function, on the libdispatch of the program.
@_cdecl("SCNetworkReachabilitySetDispatchQueue")
public func SCNetworkReachabilitySetDispatchQueue(_ target: OpaquePointer?, _ queue: OpaquePointer?) -> Bool {
    guard let object = unsafe object(target) else { return false }
    guard let queue = unsafe queue else { return object.setQueue(nil) }
    guard let loaded = unsafe LoadedQueue(UnsafeMutableRawPointer(queue)) else {
        LegacyStatus.last = .invalidArgument
        return false
    }
    return object.setQueue(.target(loaded))
}

/// Not Apple's: schedules callbacks on a thread of the library.
@_cdecl("SCNetworkReachabilityScheduleOnThread")
public func SCNetworkReachabilityScheduleOnThread(_ target: OpaquePointer?) -> Bool {
    unsafe object(target)?.scheduleOnThread() ?? false
}

/// Not Apple's: unschedules from that thread.
@_cdecl("SCNetworkReachabilityUnscheduleFromThread")
public func SCNetworkReachabilityUnscheduleFromThread(_ target: OpaquePointer?) -> Bool {
    unsafe object(target)?.setQueue(nil) ?? false
}

/// Apple's function, on the CoreFoundation of the program.
@_cdecl("SCNetworkReachabilityScheduleWithRunLoop")
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: OpaquePointer?, _ runLoop: OpaquePointer?, _ runLoopMode: OpaquePointer?
) -> Bool {
    guard let object = unsafe object(target) else { return false }
    guard let system = LoadedRunLoops.shared, let pair = unsafe system.pair(runLoop, runLoopMode) else {
        LegacyStatus.last = .invalidArgument
        return false
    }
    return object.schedule(in: pair, of: system)
}

/// Apple's function, on the CoreFoundation of the program.
@_cdecl("SCNetworkReachabilityUnscheduleFromRunLoop")
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: OpaquePointer?, _ runLoop: OpaquePointer?, _ runLoopMode: OpaquePointer?
) -> Bool {
    guard let object = unsafe object(target) else { return false }
    return object.unschedule(from: unsafe LoadedRunLoops.shared?.pair(runLoop, runLoopMode))
}

extension LoadedQueue: CallbackRunner {}
