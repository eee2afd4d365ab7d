// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The listening sockets of a network namespace, as the kernel lists them (proc(5), /proc/net/unix).
///
/// A path leads to its socket from any network namespace, so a container with another network may reach the machine's
/// bus. The list has only the sockets that were made in the namespace.
package struct UnixSocketTable: Sendable {
    private let listeners: Set<[UInt8]>

    /// - Parameter text: the file's contents.
    package init(_ text: [UInt8]) {
        var listeners: Set<[UInt8]> = []
        // The columns are Num, RefCount, Protocol, Flags, Type, St, Inode, Path. The first line is their titles.
        for line in text.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
            guard fields.count == 8, let flags = UInt32(String(decoding: fields[3], as: UTF8.self), radix: 16),
                flags & Self.accepts != 0
            else { continue }
            listeners.insert(Array(fields[7]))
        }
        self.listeners = listeners
    }

    /// The table of the calling thread's namespace. Nil if /proc cannot be read.
    package static func ofCallingThread() -> UnixSocketTable? {
        guard let text = try? Files.contents(of: "/proc/thread-self/net/unix", limit: 64 << 20) else { return nil }
        return UnixSocketTable(text)
    }

    package func hasListener(at path: [UInt8]) -> Bool { listeners.contains(path) }

    /// __SO_ACCEPTCON (linux/net.h).
    private static let accepts: UInt32 = 1 << 16
}
