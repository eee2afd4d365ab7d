// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Dispatch
public import Foundation
import ReachabilityLinuxSystem
import ReachabilityReferences
import SystemConfigurationCore

/// A target: a host, address or pair of addresses whose reachability this module reports.
///
/// A scheduled target stays alive even if no reference to it is left. It may be used from any thread. Unlike Apple's class, it
/// conforms to `Sendable`; a client that declares this conformance again gets a warning.
///
/// Two targets are equal only if they are the same object, as on Apple's systems (configd-1405 l.130).
public final class SCNetworkReachability: NSObject, Sendable {
    /// The header that CoreFoundation reads. It has to be the first property.
    private let header = registered.header
    private let target: LegacyTarget

    fileprivate static let registered = RegisteredType(
        "SCNetworkReachability", SCNetworkReachability.self, in: .linked)

    /// Nil, with a status, if this object is really of another class.
    var base: LegacyTarget? { isGenuine(self, Self.registered) ? target : nil }

    init(_ target: LegacyTarget) {
        self.target = target
        super.init()
        target.belong(to: self)
    }
}

/// Makes a target for an IPv4 or IPv6 address. 0.0.0.0 and :: stand for the default path.
///
/// Linux's `sockaddr` has no length member, so the family determines the length: 16 bytes, or 28 for IPv6.
///
/// - Parameters:
///   - allocator: ignored.
///   - address: the address. It is copied.
/// - Returns: the target. Nil for another family; `SCError()` is then `kSCStatusInvalidArgument`.
public func SCNetworkReachabilityCreateWithAddress(
    _ allocator: CFAllocator?, _ address: UnsafePointer<sockaddr>?
) -> SCNetworkReachability? {
    undisturbed { unsafe LegacyTarget.make(address: address).map(SCNetworkReachability.init) }
}

/// Makes a target for packets from a local address to a remote one.
///
/// - Parameters:
///   - allocator: ignored.
///   - localAddress: an address of this machine; nil for any.
///   - remoteAddress: the address to reach; nil for the local address by itself.
/// - Returns: the target. Nil if both addresses are nil, or if one has another family.
public func SCNetworkReachabilityCreateWithAddressPair(
    _ allocator: CFAllocator?, _ localAddress: UnsafePointer<sockaddr>?, _ remoteAddress: UnsafePointer<sockaddr>?
) -> SCNetworkReachability? {
    undisturbed { unsafe LegacyTarget.make(local: localAddress, remote: remoteAddress).map(SCNetworkReachability.init) }
}

/// Makes a target for a host name, or for an address written as text.
///
/// - Parameters:
///   - allocator: ignored.
///   - nodename: the name. A target with an impossible name is never reachable.
/// - Returns: the target. Nil if the name is nil or empty; `SCError()` is then `kSCStatusInvalidArgument`.
public func SCNetworkReachabilityCreateWithName(
    _ allocator: CFAllocator?, _ nodename: UnsafePointer<CChar>?
) -> SCNetworkReachability? {
    undisturbed {
        unsafe LegacyTarget.make(name: nodename.map { unsafe String(cString: $0) }).map(SCNetworkReachability.init)
    }
}

/// Returns the type that `CFGetTypeID` returns for a target.
public func SCNetworkReachabilityGetTypeID() -> CFTypeID {
    undisturbed { SCNetworkReachability.registered.number }
}

/// Returns the present flags.
///
/// If the target is a name that is not scheduled, this resolves the name, which blocks the thread for up to five seconds.
///
/// - Parameters:
///   - target: the target.
///   - flags: set to the flags. Zero means not reachable.
/// - Returns: false if the kernel could not be asked; `SCError()` says why.
@discardableResult
public func SCNetworkReachabilityGetFlags(
    _ target: SCNetworkReachability, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>
) -> Bool {
    undisturbed {
        guard let present = target.base?.flags() else { return false }
        unsafe flags.pointee = SCNetworkReachabilityFlags(present)
        return true
    }
}

/// Returns the index of the interface of the route, or -1 if the target is not reachable.
public func SCNetworkReachabilityGetInterfaceIndex(_ target: SCNetworkReachability) -> Int32 {
    undisturbed { target.base?.interfaceIndex ?? -1 }
}

/// The type of a callback. It is called when the flags have changed, with the target, its new flags, and the context's `info`.
public typealias SCNetworkReachabilityCallBack = (
    SCNetworkReachability, SCNetworkReachabilityFlags, UnsafeMutableRawPointer?
) -> Void

/// A client's pointer, and the functions that retain and release it. They are called even if the pointer is null.
@safe
public struct SCNetworkReachabilityContext {
    /// The version of this structure: 0. It is ignored.
    public var version: CFIndex
    /// Passed to the callback.
    public var info: UnsafeMutableRawPointer?
    /// Called with `info` when the context is set. Its result replaces `info`.
    public var retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?
    /// Called with `info` once: when the callback is replaced or set to nil, or when the target or the session is freed.
    public var release: (@convention(c) (UnsafeRawPointer) -> Void)?
    /// Part of Apple's structure. It is never called.
    public var copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?

    /// Makes an empty context.
    public init() {
        version = 0
    }

    /// Makes a context.
    public init(
        version: CFIndex, info: UnsafeMutableRawPointer?,
        retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?,
        release: (@convention(c) (UnsafeRawPointer) -> Void)?,
        copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?
    ) {
        self.version = version
        unsafe self.info = info
        unsafe self.retain = retain
        unsafe self.release = release
        unsafe self.copyDescription = copyDescription
    }

    /// Holds what the context's `retain` has returned.
    var box: ContextBox {
        // Apple's declarations say that these functions never get null, but that matters in Swift only. The call is the same.
        unsafe ContextBox(
            retaining: info, retain: unsafeBitCast(retain, to: ContextBox.Retain?.self),
            release: unsafeBitCast(release, to: ContextBox.Release?.self))
    }
}

/// Sets the callback for changes of the flags; nil for none. May be called before or after scheduling, and from the callback
/// itself.
///
/// - Parameters:
///   - target: the target.
///   - callout: the callback. It is called on the queue or run loop on which the target is scheduled.
///   - context: the pointer for the callback. It is copied. `release` is called once for each context that was set.
/// - Returns: true.
@discardableResult
public func SCNetworkReachabilitySetCallback(
    _ target: SCNetworkReachability, _ callout: SCNetworkReachabilityCallBack?,
    _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
    undisturbed {
        guard let base = target.base else { return false }
        let box = unsafe context.map { unsafe $0.pointee.box }
        // By scheduling the target, the client allows its callback to run there.
        nonisolated(unsafe) let run = unsafe callout
        base.setCallback { owner, flags in
            guard let run = unsafe run, let target = owner as? SCNetworkReachability else { return }
            // The closure holds the box, and the core holds the closure while it runs, so `info` outlives this call.
            unsafe run(target, SCNetworkReachabilityFlags(flags), box?.info)
        }
        return true
    }
}

/// Schedules the callback on a dispatch queue; nil unschedules it.
///
/// - Returns: false if the target is already scheduled or, for nil, is not on a queue. `SCError()` is then
///   `kSCStatusInvalidArgument`.
@discardableResult
public func SCNetworkReachabilitySetDispatchQueue(_ target: SCNetworkReachability, _ queue: DispatchQueue?) -> Bool {
    undisturbed { target.base?.setQueue(queue.map { .queue($0) }) ?? false }
}

/// Schedules the callback on a run loop, in one of its modes.
///
/// A target may be scheduled on several loops and in several modes; each call is made by one of the loops. A target that is
/// scheduled twice on the same loop and mode has to be unscheduled twice.
///
/// - Returns: false if the target is on a dispatch queue or an argument is nil. `SCError()` is then `kSCStatusInvalidArgument`.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CFString?
) -> Bool {
    undisturbed { target.base?.schedule(in: LoopAndMode(runLoop, runLoopMode), of: LinkedRunLoops()) ?? false }
}

/// The same, for the mode constants of CoreFoundation, which on Linux have CoreFoundation's own string class.
@discardableResult
public func SCNetworkReachabilityScheduleWithRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CoreFoundation.CFString
) -> Bool {
    undisturbed { target.base?.schedule(in: LoopAndMode(runLoop, runLoopMode.rawValue), of: LinkedRunLoops()) ?? false }
}

/// Unschedules the callback from a run loop and mode, once.
///
/// - Returns: false if the target is not scheduled there. `SCError()` is then `kSCStatusInvalidArgument`.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CFString?
) -> Bool {
    undisturbed { target.base?.unschedule(from: LoopAndMode(runLoop, runLoopMode)) ?? false }
}

/// The same, for the mode constants of CoreFoundation, which on Linux have CoreFoundation's own string class.
@discardableResult
public func SCNetworkReachabilityUnscheduleFromRunLoop(
    _ target: SCNetworkReachability, _ runLoop: CFRunLoop?, _ runLoopMode: CoreFoundation.CFString
) -> Bool {
    undisturbed { target.base?.unschedule(from: LoopAndMode(runLoop, runLoopMode.rawValue)) ?? false }
}
