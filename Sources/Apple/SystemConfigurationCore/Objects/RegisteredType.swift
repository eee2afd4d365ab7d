// SPDX-License-Identifier: Apache-2.0

import ReachabilityLinuxSystem

/// A class of Swift whose objects are CoreFoundation's too: CFGetTypeID, CFEqual, CFHash and collections work on them.
///
/// An object of CoreFoundation's begins with its class, Swift's reference counts, and a word with the number of its type
/// (CFRuntimeBase of CFRuntime.h). A Swift object begins with the first two. So the first property of a registered class is
/// that word, `header`.
package struct RegisteredType: Sendable {
    /// What CFGetTypeID returns.
    package let number: UInt
    private let type: UInt

    package typealias Equal = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> Bool
    package typealias Hash = @convention(c) (UnsafeRawPointer) -> UInt

    /// The type's number in bits 8 to 17, and bit 7 for the default allocator (CFRuntime.c of swift-corelibs-foundation).
    package var header: UInt64 { UInt64(number) << 8 | 0x80 }

    /// Registers a class.
    ///
    /// - Parameters:
    ///   - equal: compares two objects of the class; nil if only the same object is equal.
    ///   - hash: the hash of an object; nil with `equal`.
    @safe
    package init(
        _ name: StaticString, _ type: AnyClass, in runtime: CoreFoundationRuntime, equal: Equal? = nil,
        hash: Hash? = nil
    ) {
        // CFRuntimeClass of CFRuntime.h: version, className, init, copy, finalize, equal, hash and five more. Each is one
        // word. CoreFoundation keeps the pointer, so this is never freed.
        let words = UnsafeMutablePointer<UInt>.allocate(capacity: 12)
        unsafe words.initialize(repeating: 0, count: 12)
        unsafe words[1] = UInt(bitPattern: name.utf8Start)
        unsafe words[5] = unsafeBitCast(equal, to: UInt.self)
        unsafe words[6] = unsafeBitCast(hash, to: UInt.self)
        number = unsafe runtime.register(UnsafeRawPointer(words))
        self.type = Self.address(of: type)
        // 0 means that CoreFoundation's table of types is full.
        if number != 0 { unsafe runtime.bridge(number, UnsafeRawPointer(bitPattern: self.type)!) }
    }

    /// Whether this is an object of the class for which it passes. The class is the one that was registered: in a function
    /// of a class, Swift takes that of the object to be the class.
    package func isClass(of object: AnyObject) -> Bool {
        unsafe Unmanaged.passUnretained(object).toOpaque().load(as: UInt.self) == type
    }

    /// Whether a pointer leads to an object of a class. A client may pass any object.
    package static func isObject(_ pointer: UnsafeRawPointer, of type: AnyClass) -> Bool {
        unsafe pointer.loadUnaligned(as: UInt.self) == address(of: type)
    }

    private static func address(of type: AnyClass) -> UInt { unsafe unsafeBitCast(type, to: UInt.self) }
}

/// The functions with which CoreFoundation learns a type (CFRuntime.h and ForSwiftFoundationOnly.h).
@safe
package struct CoreFoundationRuntime: Sendable {
    let register: @Sendable (UnsafeRawPointer) -> UInt
    let bridge: @Sendable (UInt, UnsafeRawPointer) -> Void

    @safe
    package init(
        register: @escaping @Sendable (UnsafeRawPointer) -> UInt,
        bridge: @escaping @Sendable (UInt, UnsafeRawPointer) -> Void
    ) {
        unsafe self.register = register
        unsafe self.bridge = bridge
    }
}

/// The object clients hold. The client decides which threads use it, as with every object of CoreFoundation.
struct Owner: @unchecked Sendable {
    let object: AnyObject
}

/// The same without a reference.
final class WeakOwner: Sendable {
    private struct Value {
        weak var object: AnyObject?
    }

    private let value = Lock(Value())

    var current: Owner? {
        get { value.withLock { $0.object.map(Owner.init) } }
        set { value.withLock { $0.object = newValue?.object } }
    }
}
