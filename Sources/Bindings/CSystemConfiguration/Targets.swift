// SPDX-License-Identifier: Apache-2.0

public import CSystemConfigurationHeaders
public import LinuxSystem
import ReachabilityKit
import SystemConfigurationCore

/// The target behind a client's pointer.
func object(_ reference: OpaquePointer?) -> LegacyTarget? { unsafe ClientObject.content(of: reference) }

private func retained(_ target: LegacyTarget?) -> OpaquePointer? {
    unsafe target.map { unsafe OpaquePointer(ClientObject.retained($0)) }
}

/// Apple's function.
@_cdecl("SCNetworkReachabilityCreateWithAddress")
public func SCNetworkReachabilityCreateWithAddress(
    _ allocator: OpaquePointer?, _ address: UnsafePointer<sockaddr>?
) -> OpaquePointer? {
    unsafe retained(LegacyTarget.make(address: address))
}

/// Apple's function.
@_cdecl("SCNetworkReachabilityCreateWithAddressPair")
public func SCNetworkReachabilityCreateWithAddressPair(
    _ allocator: OpaquePointer?, _ localAddress: UnsafePointer<sockaddr>?, _ remoteAddress: UnsafePointer<sockaddr>?
) -> OpaquePointer? {
    unsafe retained(LegacyTarget.make(local: localAddress, remote: remoteAddress))
}

/// Apple's function.
@_cdecl("SCNetworkReachabilityCreateWithName")
public func SCNetworkReachabilityCreateWithName(
    _ allocator: OpaquePointer?, _ nodename: UnsafePointer<CChar>?
) -> OpaquePointer? {
    unsafe retained(LegacyTarget.make(name: nodename.map { unsafe String(cString: $0) }))
}

/// Apple's function. A program without CoreFoundation has no dictionary to pass.
@_cdecl("SCNetworkReachabilityCreateWithOptions")
public func SCNetworkReachabilityCreateWithOptions(
    _ allocator: OpaquePointer?, _ options: OpaquePointer?
) -> OpaquePointer? {
    guard let dictionary = unsafe options, let read = unsafe LegacyOptions(UnsafeRawPointer(dictionary)) else {
        LegacyStatus.last = .invalidArgument
        return nil
    }
    return unsafe retained(LegacyTarget.make(options: read))
}

/// Not Apple's: for programs without CoreFoundation.
@_cdecl("SCNetworkReachabilityRetain")
public func SCNetworkReachabilityRetain(_ target: OpaquePointer?) -> OpaquePointer? {
    if let target = unsafe target { _ = unsafe Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(target)).retain() }
    return unsafe target
}

/// Not Apple's: for programs without CoreFoundation.
@_cdecl("SCNetworkReachabilityRelease")
public func SCNetworkReachabilityRelease(_ target: OpaquePointer?) {
    if let target = unsafe target { unsafe Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(target)).release() }
}

/// Apple's function.
@_cdecl("SCNetworkReachabilityGetTypeID")
public func SCNetworkReachabilityGetTypeID() -> CFTypeID { ClientObject<LegacyTarget>.typeNumber }

/// Apple's function.
@_cdecl("SCNetworkReachabilityGetFlags")
public func SCNetworkReachabilityGetFlags(
    _ target: OpaquePointer?, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>?
) -> Bool {
    guard let object = unsafe object(target), let result = unsafe flags else {
        LegacyStatus.last = .invalidArgument
        return false
    }
    guard let present = object.flags() else { return false }
    unsafe result.pointee = present.rawValue
    return true
}

/// Apple's function.
@_cdecl("SCNetworkReachabilityGetInterfaceIndex")
public func SCNetworkReachabilityGetInterfaceIndex(_ target: OpaquePointer?) -> Int32 {
    unsafe object(target)?.interfaceIndex ?? -1
}

/// Apple's function.
@_cdecl("SCNetworkCheckReachabilityByAddress")
public func SCNetworkCheckReachabilityByAddress(
    _ address: UnsafePointer<sockaddr>?, _ addrlen: UInt32, _ flags: UnsafeMutablePointer<SCNetworkConnectionFlags>?
) -> Bool {
    unsafe check(LegacyTarget.make(address: address, length: Int(clamping: addrlen)), flags)
}

/// Apple's function.
@_cdecl("SCNetworkCheckReachabilityByName")
public func SCNetworkCheckReachabilityByName(
    _ nodename: UnsafePointer<CChar>?, _ flags: UnsafeMutablePointer<SCNetworkConnectionFlags>?
) -> Bool {
    unsafe check(LegacyTarget.make(name: nodename.map { unsafe String(cString: $0) }), flags)
}

private func check(_ target: LegacyTarget?, _ flags: UnsafeMutablePointer<UInt32>?) -> Bool {
    guard let target else { return false }
    guard let result = unsafe flags else {
        LegacyStatus.last = .invalidArgument
        return false
    }
    guard let present = target.flags() else { return false }
    unsafe result.pointee = present.rawValue
    return true
}

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
