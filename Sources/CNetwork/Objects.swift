// SPDX-License-Identifier: Apache-2.0

import CNetworkHeaders
import LinuxLibc

// A handle is a Swift object, retained. Each type of handle has a class of its own.

/// The object behind a handle; nil for NULL.
func object<Object: AnyObject>(_ handle: nw_handle?, as type: Object.Type) -> Object? {
    unsafe handle.map { unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}

/// A handle that its client releases.
func retained(_ object: some AnyObject) -> nw_handle {
    unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
}

/// Passes a handle that lives until `body` returns.
func lend<Value>(_ object: some AnyObject, to body: (nw_handle) -> Value) -> Value {
    withExtendedLifetime(object) {
        unsafe body(OpaquePointer(Unmanaged.passUnretained(object).toOpaque()))
    }
}

/// Apple's function.
@_cdecl("nw_retain")
public func nw_retain(_ obj: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let obj = unsafe obj { _ = unsafe Unmanaged<AnyObject>.fromOpaque(obj).retain() }
    return unsafe obj
}

/// Apple's function.
@_cdecl("nw_release")
public func nw_release(_ obj: UnsafeMutableRawPointer?) {
    if let obj = unsafe obj { unsafe Unmanaged<AnyObject>.fromOpaque(obj).release() }
}

/// Text for a C program. It can be read as long as the object that owns it exists.
@safe
final class OwnedText: @unchecked Sendable {  // never changed
    let pointer: UnsafePointer<CChar>

    init(_ text: String) {
        guard let copy = unsafe strdup(text) else { fatalError("there is no memory for a name") }
        unsafe pointer = UnsafePointer(copy)
    }

    deinit {
        unsafe free(UnsafeMutablePointer(mutating: pointer))
    }
}
