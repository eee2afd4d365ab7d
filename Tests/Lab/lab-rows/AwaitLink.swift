// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Netlink

/// Waits for a link of this name. A device that was plugged in appears some time later.
func awaitLink(_ name: String) throws {
    // Subscribes before the first look, so that a link that appears in between is not missed.
    let socket = try NetlinkSocket()
    try socket.join(group: NotificationGroup.link.number)
    while Interfaces.index(of: name) == nil {
        var wish = pollfd(fd: socket.rawDescriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&wish, 1, 60_000) == 1 else { throw Failure("no link \(name) came") }
        _ = try? unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { scrap in
            _ = try unsafe socket.receive(into: scrap)
        }
    }
}
