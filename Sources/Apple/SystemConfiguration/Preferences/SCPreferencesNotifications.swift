// SPDX-License-Identifier: Apache-2.0

public import CoreFoundation
public import Dispatch
import Foundation
import ReachabilityKit
import SystemConfigurationCore

/// What happened to preferences. On Linux a change is both.
public struct SCPreferencesNotification: OptionSet, Sendable {
    /// The notification as a number.
    public let rawValue: UInt32

    /// Makes a notification from a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// They were saved.
    public static let commit = SCPreferencesNotification(rawValue: 1 << 0)
    /// They are in use.
    public static let apply = SCPreferencesNotification(rawValue: 1 << 1)
}

/// Called when preferences have changed, with the session, what happened, and the context's `info`.
public typealias SCPreferencesCallBack = (SCPreferences, SCPreferencesNotification, UnsafeMutableRawPointer?) -> Void

/// A client's pointer, and the functions that retain and release it. It is the same as for targets.
public typealias SCPreferencesContext = SCNetworkReachabilityContext

/// Sets the callback for changes; nil for none.
///
/// - Returns: true.
@discardableResult
public func SCPreferencesSetCallback(
    _ prefs: SCPreferences, _ callout: SCPreferencesCallBack?, _ context: UnsafeMutablePointer<SCPreferencesContext>?
) -> Bool {
    guard let session = prefs.session else { return false }
    let box = unsafe context.map {
        unsafe ContextBox(retaining: $0.pointee.info, retain: $0.pointee.retain, release: $0.pointee.release)
    }
    // The client allows it to run where it is scheduled.
    nonisolated(unsafe) let run = unsafe callout
    session.setCallback { owner in
        guard let prefs = owner as? SCPreferences else { return }
        unsafe run?(prefs, [.commit, .apply], box?.info)
    }
    return true
}

/// Calls the callback on a run loop. Changes count from this call on.
///
/// - Returns: false if the session is on a dispatch queue (`kSCStatusNotifierActive`).
@discardableResult
public func SCPreferencesScheduleWithRunLoop(
    _ prefs: SCPreferences, _ runLoop: CFRunLoop, _ runLoopMode: some CoreFoundationString
) -> Bool {
    prefs.session?.schedule(in: LoopAndMode(runLoop, runLoopMode.core.rawValue), of: LinkedRunLoops()) ?? false
}

/// Ends that.
///
/// - Returns: false if the session is not scheduled there (`kSCStatusInvalidArgument`).
@discardableResult
public func SCPreferencesUnscheduleFromRunLoop(
    _ prefs: SCPreferences, _ runLoop: CFRunLoop, _ runLoopMode: some CoreFoundationString
) -> Bool {
    prefs.session?.unschedule(from: LoopAndMode(runLoop, runLoopMode.core.rawValue), of: LinkedRunLoops()) ?? false
}

/// Calls the callback on a dispatch queue. Changes count from this call on. Nil ends this.
///
/// - Returns: false if the session is scheduled already (`kSCStatusNotifierActive`), or, for nil, is not on a queue
///   (`kSCStatusInvalidArgument`).
@discardableResult
public func SCPreferencesSetDispatchQueue(_ prefs: SCPreferences, _ queue: DispatchQueue?) -> Bool {
    prefs.session?.setQueue(queue.map { .queue($0) }) ?? false
}
