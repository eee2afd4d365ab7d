// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import TestHosts
import TestTopology
import TestWaiting

@testable import ReachabilityKit

/// Collects the flags that callbacks tell.
typealias CallbackRecorder = ReceivedValues<ReachabilityFlags>

extension ReceivedValues<ReachabilityFlags> {
    /// Schedules a reference with a callback that records its flags here.
    func watch(_ reference: ReachabilityRef) throws {
        reference.setCallback { [self] in record($0) }
        try reference.setDispatchQueue(queue)
    }
}

extension ReachabilityWatcher {
    var isReadable: Bool { isReadable(within: 0) }

    func isReadable(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, milliseconds) == 1
    }

    /// Waits and turns, as a client's loop does, until a condition holds.
    func turn(until holds: () throws -> Bool) throws {
        while try !holds() {
            guard isReadable(within: WaitLimit.milliseconds) else { throw WaitTimeout("the watcher to have work") }
            process()
        }
    }
}

extension Topology {
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
