// SPDX-License-Identifier: Apache-2.0

// The headers describe these functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CSystemConfigurationHeaders
public import ReachabilityLinuxSystem
import ReachabilityReferences
import SystemConfigurationCore

/// The target behind a client's pointer.
func object(_ reference: OpaquePointer?) -> LegacyTarget? { unsafe ClientObject.target(of: reference) }

private func retained(_ target: LegacyTarget?) -> OpaquePointer? {
    unsafe target.map { unsafe ClientObject.retained($0) }
}

@_cdecl("SCNetworkReachabilityCreateWithAddress")
public func SCNetworkReachabilityCreateWithAddress(
    _ allocator: OpaquePointer?, _ address: UnsafePointer<sockaddr>?
) -> OpaquePointer? {
    unsafe undisturbed { unsafe retained(LegacyTarget.make(address: address)) }
}

@_cdecl("SCNetworkReachabilityCreateWithAddressPair")
public func SCNetworkReachabilityCreateWithAddressPair(
    _ allocator: OpaquePointer?, _ localAddress: UnsafePointer<sockaddr>?, _ remoteAddress: UnsafePointer<sockaddr>?
) -> OpaquePointer? {
    unsafe undisturbed { unsafe retained(LegacyTarget.make(local: localAddress, remote: remoteAddress)) }
}

@_cdecl("SCNetworkReachabilityCreateWithName")
public func SCNetworkReachabilityCreateWithName(
    _ allocator: OpaquePointer?, _ nodename: UnsafePointer<CChar>?
) -> OpaquePointer? {
    unsafe undisturbed { unsafe retained(LegacyTarget.make(name: nodename.map { unsafe String(cString: $0) })) }
}

@_cdecl("SCNetworkReachabilityRetain")
public func SCNetworkReachabilityRetain(_ target: OpaquePointer?) -> OpaquePointer? {
    if let target = unsafe target { _ = unsafe Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(target)).retain() }
    return unsafe target
}

@_cdecl("SCNetworkReachabilityRelease")
public func SCNetworkReachabilityRelease(_ target: OpaquePointer?) {
    if let target = unsafe target { unsafe Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(target)).release() }
}

@_cdecl("SCNetworkReachabilityGetTypeID")
public func SCNetworkReachabilityGetTypeID() -> CFTypeID {
    undisturbed { ClientObject.typeNumber }
}

@_cdecl("SCNetworkReachabilityGetFlags")
public func SCNetworkReachabilityGetFlags(
    _ target: OpaquePointer?, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>?
) -> Bool {
    unsafe check(object(target), flags)
}

@_cdecl("SCNetworkReachabilityGetInterfaceIndex")
public func SCNetworkReachabilityGetInterfaceIndex(_ target: OpaquePointer?) -> Int32 {
    unsafe object(target)?.interfaceIndex ?? -1
}

@_cdecl("SCNetworkCheckReachabilityByAddress")
public func SCNetworkCheckReachabilityByAddress(
    _ address: UnsafePointer<sockaddr>?, _ addrlen: UInt32, _ flags: UnsafeMutablePointer<SCNetworkConnectionFlags>?
) -> Bool {
    undisturbed { unsafe check(LegacyTarget.make(address: address, length: Int(clamping: addrlen)), flags) }
}

@_cdecl("SCNetworkCheckReachabilityByName")
public func SCNetworkCheckReachabilityByName(
    _ nodename: UnsafePointer<CChar>?, _ flags: UnsafeMutablePointer<SCNetworkConnectionFlags>?
) -> Bool {
    undisturbed { unsafe check(LegacyTarget.make(name: nodename.map { unsafe String(cString: $0) }), flags) }
}

private func check(_ target: LegacyTarget?, _ flags: UnsafeMutablePointer<UInt32>?) -> Bool {
    guard let target else { return false }
    guard let result = unsafe flags else {
        return LegacyStatus.fail(.invalidArgument)
    }
    guard let present = target.flags() else { return false }
    unsafe result.pointee = present.rawValue
    return true
}

@_cdecl("SCNetworkReachabilitySetCallback")
public func SCNetworkReachabilitySetCallback(
    _ target: OpaquePointer?, _ callout: SCNetworkReachabilityCallBack?,
    _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
    undisturbed {
        guard let object = unsafe object(target) else { return false }
        let box = unsafe context.map {
            unsafe ContextBox(retaining: $0.pointee.info, retain: $0.pointee.retain, release: $0.pointee.release)
        }
        object.setCallback { owner, flags in
            unsafe callout?(OpaquePointer(Unmanaged.passUnretained(owner).toOpaque()), flags.rawValue, box?.info)
        }
        return true
    }
}

@_cdecl("SCNetworkReachabilitySetDispatchQueue")
public func SCNetworkReachabilitySetDispatchQueue(_ target: OpaquePointer?, _ queue: OpaquePointer?) -> Bool {
    undisturbed {
        guard let object = unsafe object(target) else { return false }
        guard let queue = unsafe queue else { return object.setQueue(nil) }
        // Without a libdispatch the pointer cannot be a queue.
        guard let loaded = unsafe try? LoadedQueue(UnsafeMutableRawPointer(queue)) else {
            return LegacyStatus.fail(.invalidArgument)
        }
        return object.setQueue(.target(loaded))
    }
}

@_cdecl("SCNetworkReachabilityScheduleOnThread")
public func SCNetworkReachabilityScheduleOnThread(_ target: OpaquePointer?) -> Bool {
    undisturbed { unsafe object(target)?.scheduleOnThread() ?? false }
}

@_cdecl("SCNetworkReachabilityUnscheduleFromThread")
public func SCNetworkReachabilityUnscheduleFromThread(_ target: OpaquePointer?) -> Bool {
    unsafe object(target)?.setQueue(nil) ?? false
}

@_cdecl("SCNetworkReachabilityScheduleWithRunLoop")
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: OpaquePointer?, _ runLoop: OpaquePointer?, _ runLoopMode: OpaquePointer?
) -> Bool {
    undisturbed {
        guard let object = unsafe object(target) else { return false }
        guard let system = LoadedRunLoops.shared, let pair = unsafe system.pair(runLoop, runLoopMode) else {
            return LegacyStatus.fail(.invalidArgument)
        }
        return object.schedule(in: pair, of: system)
    }
}

@_cdecl("SCNetworkReachabilityUnscheduleFromRunLoop")
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: OpaquePointer?, _ runLoop: OpaquePointer?, _ runLoopMode: OpaquePointer?
) -> Bool {
    guard let object = unsafe object(target) else { return false }
    return object.unschedule(from: unsafe LoadedRunLoops.shared?.pair(runLoop, runLoopMode))
}
