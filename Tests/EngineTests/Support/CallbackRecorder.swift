// SPDX-License-Identifier: Apache-2.0

import CTestTopology
import ReachabilityHostResolution
import ReachabilityKit
import ReachabilityLinuxSystem
import ReachabilityResolverFiles
import TestTopology

@testable import ReachabilityReferences
@testable import ReachabilityRoutes

/// Collects the flags that callbacks tell.
typealias CallbackRecorder = ReceivedValues<ReachabilityFlags>

extension ReceivedValues<ReachabilityFlags> {
    /// Schedules a reference with a callback that records its flags here.
    func watch(_ reference: ReachabilityRef) throws {
        reference.setCallback { [self] in record($0) }
        try reference.setDispatchQueue(queue)
    }
}

/// Collects the paths that a subscriber is told.
typealias PathRecorder = ReceivedValues<NetworkPath>

/// Does nothing when it is notified.
final class IndifferentSubscriber: Subscriber {
    func notify(_ watch: Watch, _ batch: inout DeliveryBatch) {}
}

/// The code of the error that is thrown; nil if none is.
func code(_ body: () throws -> Void) -> ReachabilityError.Code? {
    do { try body() } catch { return (error as? ReachabilityError)?.code }
    return nil
}

extension ReachabilityWatcher {
    func isReadable(within milliseconds: Int32 = 0) -> Bool {
        topology_wait_readable(fileDescriptor, milliseconds) == 1
    }

    /// Waits and turns, as a client's loop does, until a condition holds.
    func turn(until holds: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(WaitLimit.seconds)
        while try !holds() {
            // It may have work for ever.
            guard isReadable(within: WaitLimit.milliseconds), ContinuousClock.now < end else {
                throw WaitTimeout("the watcher")
            }
            try process()
        }
    }
}

extension Machine {
    /// A reference to an address in this network, made on any thread.
    func reference(_ address: String) throws -> ReachabilityRef {
        try ReachabilityRef(address: address, options: options)
    }

    /// The options of references in this network that are made on any thread.
    var options: ReachabilityOptions {
        var options = ReachabilityOptions()
        options.networkNamespace = .path(namespacePath)
        return options
    }
}
