// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityLinuxSystem
import ReachabilityNetlink

/// Waits for a link of this name, or until it cannot carry packets. A device that was plugged in appears some time later,
/// and so does the news of a carrier.
func awaitLink(_ name: String, broken: Bool = false) throws {
    // Subscribes before the first look, so that nothing in between is missed.
    let socket = try NetlinkSocket(groups: [NotificationGroup.link].mask)
    let requester = try NetlinkRequester()
    func hasCome() throws -> Bool {
        guard let index = try requester.linkIndex(of: name), let link = try requester.link(index) else { return false }
        guard broken else { return true }
        if case .broken = link.readiness { return true }
        return false
    }
    while try !hasCome() {
        var wish = pollfd(fd: socket.rawDescriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&wish, 1, 60_000) == 1 else {
            throw Failure(broken ? "\(name) is not broken" : "no link \(name) came")
        }
        _ = try? unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { scrap in
            _ = try unsafe socket.receive(into: scrap)
        }
    }
}
