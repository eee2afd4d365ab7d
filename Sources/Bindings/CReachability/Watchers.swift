// SPDX-License-Identifier: Apache-2.0

public import CReachabilityHeaders
import ReachabilityKit
import ReachabilityLinuxSystem

private func object(_ watcher: OpaquePointer) -> ReachabilityWatcher {
    unsafe Unmanaged<ReachabilityWatcher>.fromOpaque(UnsafeRawPointer(watcher)).takeUnretainedValue()
}

/// Makes a watcher.
@_cdecl("reachability_watcher_create")
public func reachability_watcher_create(
    _ watcher: UnsafeMutablePointer<OpaquePointer?>, _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    unsafe watcher.pointee = nil
    return unsafe reporting(to: error) { () throws(ReachabilityError) in
        unsafe watcher.pointee = OpaquePointer(Unmanaged.passRetained(try ReachabilityWatcher()).toOpaque())
    }
}

/// Releases a watcher.
@_cdecl("reachability_watcher_free")
public func reachability_watcher_free(_ watcher: OpaquePointer?) {
    guard let watcher = unsafe watcher else { return }
    // One of its callbacks may be what frees it. Closed at once, it makes no further one.
    let object = unsafe object(watcher)
    withExtendedLifetime(object) { object.close() }
    unsafe Unmanaged<ReachabilityWatcher>.fromOpaque(UnsafeRawPointer(watcher)).release()
}

/// The descriptor to poll.
@_cdecl("reachability_watcher_descriptor")
public func reachability_watcher_descriptor(_ watcher: OpaquePointer) -> Int32 {
    unsafe object(watcher).fileDescriptor
}

/// Adds a target.
@_cdecl("reachability_watcher_add")
public func reachability_watcher_add(
    _ watcher: OpaquePointer, _ target: OpaquePointer, _ callback: reachability_callback,
    _ context: UnsafeMutableRawPointer?, _ free: reachability_free_callback?,
    _ identifier: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    let context = unsafe ClientContext(context, free)
    return unsafe adding(to: watcher, identifier, error) { (watcher) throws(ReachabilityError) in
        try unsafe watcher.add(reference(target)) { flags in unsafe callback(flags.rawValue, context.pointer) }
    }
}

/// The context of a callback. The closure that calls back keeps it: it is released when no call follows or runs any more.
@safe final class ClientContext {
    let pointer: UnsafeMutableRawPointer?
    private let free: reachability_free_callback?

    init(_ pointer: UnsafeMutableRawPointer?, _ free: reachability_free_callback?) {
        unsafe (self.pointer, self.free) = (pointer, free)
    }

    deinit {
        if let free = unsafe free { callingOut { unsafe free(pointer) } }
    }
}

/// Adds something to a watcher, and gives it a number for C.
func adding(
    to watcher: OpaquePointer, _ identifier: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<reachability_error>?,
    _ add: (ReachabilityWatcher) throws(ReachabilityError) -> ReachabilityWatcher.Token
) -> Int32 {
    let watcher = unsafe object(watcher)
    return unsafe reporting(to: error) { () throws(ReachabilityError) in
        // Not in one line: without an identifier, nothing would be added.
        let token = try add(watcher)
        unsafe identifier?.pointee = token.number
    }
}

/// Adds the path.
@_cdecl("reachability_watcher_add_path")
public func reachability_watcher_add_path(
    _ watcher: OpaquePointer, _ options: UnsafePointer<reachability_options>?, _ callback: reachability_path_callback,
    _ context: UnsafeMutableRawPointer?, _ free: reachability_free_callback?,
    _ identifier: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    let context = unsafe ClientContext(context, free)
    return unsafe adding(to: watcher, identifier, error) { (watcher) throws(ReachabilityError) in
        let source = try unsafe PathSource(ReachabilityOptions(options))
        return try watcher.add(source) { path in
            var told = reachability_path(path)
            unsafe callback(&told, context.pointer)
        }
    }
}

/// Removes what was added.
@_cdecl("reachability_watcher_remove")
public func reachability_watcher_remove(_ watcher: OpaquePointer, _ identifier: UInt64) -> Int32 {
    // Releasing the context may free the handle. The object stays until this returns.
    let watcher = unsafe object(watcher)
    let isRemoved = withExtendedLifetime(watcher) { watcher.remove(ReachabilityWatcher.Token(number: identifier)) }
    return Int32(isRemoved ? REACHABILITY_OK : REACHABILITY_CLOSED)
}

/// Looks at everything again.
@_cdecl("reachability_watcher_recheck")
public func reachability_watcher_recheck(_ watcher: OpaquePointer) {
    unsafe object(watcher).recheck()
}

/// Does all that is due.
@_cdecl("reachability_watcher_process")
public func reachability_watcher_process(
    _ watcher: OpaquePointer, _ error: UnsafeMutablePointer<reachability_error>?
) -> Int32 {
    // A callback may free the handle. The object stays until this returns.
    let watcher = unsafe object(watcher)
    return unsafe reporting(to: error) { () throws(ReachabilityError) in
        try withExtendedLifetime(watcher) { () throws(ReachabilityError) in try watcher.process() }
    }
}
