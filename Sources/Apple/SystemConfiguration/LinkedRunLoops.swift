// SPDX-License-Identifier: Apache-2.0

import CoreFoundation
import Foundation
import SystemConfigurationCore

/// The run loops of the CoreFoundation that this module is linked to.
struct LinkedRunLoops: RunLoopSystem {
    func makeSource(order: Int, _ handlers: RunLoopSourceHandlers) -> CoreObject? {
        var context = unsafe CFRunLoopSourceContext()
        unsafe context.info = handlers.retainedInfo()
        unsafe context.release = { unsafe RunLoopSourceHandlers.release(UnsafeMutableRawPointer(mutating: $0)) }
        unsafe context.perform = { unsafe RunLoopSourceHandlers.of($0).perform() }
        unsafe context.schedule = { unsafe RunLoopSourceHandlers.of($0).added(LoopAndMode(holding: $1, $2)) }
        unsafe context.cancel = { unsafe RunLoopSourceHandlers.of($0).removed(LoopAndMode(holding: $1, $2)) }
        return unsafe CFRunLoopSourceCreate(kCFAllocatorDefault, order, &context).map { CoreObject(holding: $0) }
    }

    func hold(_ pointer: UnsafeMutableRawPointer) -> CoreObject {
        CoreObject(holding: unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue())
    }

    func invalidate(_ source: CoreObject) {
        CFRunLoopSourceInvalidate(source.as(CFRunLoopSource.self))
    }

    func add(_ source: CoreObject, to pair: LoopAndMode) {
        CFRunLoopAddSource(
            pair.loop.as(CFRunLoop.self), source.as(CFRunLoopSource.self), pair.mode.as(CoreFoundation.CFString.self))
    }

    func remove(_ source: CoreObject, from pair: LoopAndMode) {
        CFRunLoopRemoveSource(
            pair.loop.as(CFRunLoop.self), source.as(CFRunLoopSource.self), pair.mode.as(CoreFoundation.CFString.self))
    }

    func signal(_ source: CoreObject) {
        CFRunLoopSourceSignal(source.as(CFRunLoopSource.self))
    }

    func wake(_ loop: CoreObject) {
        CFRunLoopWakeUp(loop.as(CFRunLoop.self))
    }

    func isWaiting(_ loop: CoreObject, for source: CoreObject) -> Bool {
        let loop = loop.as(CFRunLoop.self)
        guard CFRunLoopIsWaiting(loop), let mode = CFRunLoopCopyCurrentMode(loop) else { return false }
        return CFRunLoopContainsSource(loop, source.as(CFRunLoopSource.self), mode)
    }

    func isEqual(_ left: CoreObject, _ right: CoreObject) -> Bool {
        CFEqual(left.as(CoreFoundation.CFString.self), right.as(CoreFoundation.CFString.self))
    }
}

extension CoreObject {
    convenience init(holding object: AnyObject) {
        unsafe self.init(Unmanaged.passRetained(object).toOpaque()) {
            unsafe Unmanaged<AnyObject>.fromOpaque($0).release()
        }
    }

    func `as`<Object: AnyObject>(_ type: Object.Type) -> Object {
        unsafe Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
    }
}

extension LoopAndMode {
    /// The arguments that CoreFoundation passes to a source.
    fileprivate init(holding loop: CFRunLoop?, _ mode: CFRunLoopMode?) {
        self.init(loop: CoreObject(holding: loop!), mode: CoreObject(holding: mode!))
    }

    /// Nil if an argument is nil.
    init?(_ loop: CFRunLoop?, _ mode: NSString?) {
        guard let loop, let mode else { return nil }
        self.init(loop: CoreObject(holding: loop), mode: Self.modeObject(mode))
    }

    /// CoreFoundation compares its common modes by address (CFRunLoop.c), so an equal string is replaced by the constant. Any
    /// other string is copied, because the client's string may be mutable.
    private static func modeObject(_ mode: NSString) -> CoreObject {
        let text = String(describing: mode)
        for constant in [kCFRunLoopCommonModes, kCFRunLoopDefaultMode] {
            if let constant, constant.text == text { return CoreObject(holding: constant) }
        }
        let copy: CoreFoundation.CFString? = unsafe text.withCString {
            unsafe CFStringCreateWithCString(kCFAllocatorDefault, $0, CFStringBuiltInEncodings.UTF8.rawValue)
        }
        return CoreObject(holding: copy ?? kCFRunLoopDefaultMode)
    }
}
