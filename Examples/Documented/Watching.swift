// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReachabilityKit

/// Watches on a loop of poll(2).
func watch() throws {
    let watcher = try ReachabilityWatcher()
    try watcher.add(ReachabilityRef(hostname: "db.example")) { flags in print(flags) }
    var request = pollfd(fd: watcher.fileDescriptor, events: Int16(POLLIN), revents: 0)
    while poll(&request, 1, -1) > 0 { try watcher.process() }
}
