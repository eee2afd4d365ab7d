// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The firewall mark and the bound interface of new sockets of this process.
///
/// A program that is attached to the process's control group sets them (BPF_CGROUP_INET_SOCK_CREATE, bpf(2)). `ip vrf exec` and
/// systemd's BindNetworkInterface= attach such programs. A netlink request has neither by itself, so it is sent with the values
/// of a new socket.
///
/// Nothing announces that a program was attached, or that the process moved to another group. So the values are read again, from
/// a new socket, when the kernel is asked and they are older than `maximumAge`. Reading them takes some 10 µs. An engine that
/// evaluates after a change reads them after it has notified its clients.
package final class SocketDefaults: Sendable {
    package struct Values: Hashable, Sendable {
        package var mark: UInt32?
        package var interface: InterfaceIndex?

        package init(mark: UInt32? = nil, interface: InterfaceIndex? = nil) {
            self.mark = mark
            self.interface = interface
        }
    }

    /// Makes a socket of a family and returns its values.
    package typealias Reader = @Sendable (AddressFamily) throws(Errno) -> Values

    /// In nanoseconds. Computed, because each request needs it, and a stored property would be read through `swift_once`.
    package static var maximumAge: UInt64 { 1_000_000_000 }

    private let read: Reader
    /// The mark in the upper half, the interface in the lower. Zero means none, as for a socket.
    private let ipv4 = Atomic<UInt64>(0)
    private let ipv6 = Atomic<UInt64>(0)
    private let lastReading: Atomic<UInt64>
    private let changes = Atomic<UInt64>(0)

    /// - Throws: an error if there is no descriptor or memory for a socket. If sockets of a family are forbidden, there are
    ///   no values for it.
    package init(at now: BootTime, read: @escaping Reader) throws(Errno) {
        self.read = read
        lastReading = Atomic(now.nanoseconds)
        for family in AddressFamily.allCases {
            do throws(Errno) {
                store(try read(family), for: family)
            } catch {
                if error.isShortage { throw error }
            }
        }
    }

    package subscript(family: AddressFamily) -> Values {
        let word =
            switch family {
            case .v4: ipv4.load(ordering: .relaxed)
            case .v6: ipv6.load(ordering: .relaxed)
            }
        guard word != 0 else { return Values() }
        let mark = UInt32(truncatingIfNeeded: word >> 32)
        return Values(
            mark: mark == 0 ? nil : mark, interface: InterfaceIndex(UInt32(truncatingIfNeeded: word)))
    }

    /// How often a reading differed from the one before.
    package var changeCount: UInt64 { changes.load(ordering: .acquiring) }

    /// Reads the values again if they are too old. Returns whether any has changed.
    package func refresh(at now: BootTime) -> Bool {
        let last = lastReading.load(ordering: .relaxed)
        guard now.nanoseconds >= last &+ Self.maximumAge,
            lastReading.compareExchange(expected: last, desired: now.nanoseconds, ordering: .relaxed).exchanged
        else { return false }
        return refresh()
    }

    /// Reads the values again. Keeps those that cannot be read. Returns whether any has changed.
    package func refresh() -> Bool {
        var isDifferent = false
        for family in AddressFamily.allCases {
            guard let values = try? read(family), values != self[family] else { continue }
            store(values, for: family)
            isDifferent = true
        }
        if isDifferent { changes.wrappingAdd(1, ordering: .releasing) }
        return isDifferent
    }

    private func store(_ values: Values, for family: AddressFamily) {
        let word = UInt64(values.mark ?? 0) << 32 | UInt64(values.interface?.rawValue ?? 0)
        switch family {
        case .v4: ipv4.store(word, ordering: .relaxed)
        case .v6: ipv6.store(word, ordering: .relaxed)
        }
    }
}

extension SocketDefaults {
    /// The values in the handle's namespace, or without a handle in the calling thread's.
    package convenience init(in namespace: NamespaceHandle?) throws(Errno) {
        try self.init(at: SystemTime().now()) { (family) throws(Errno) in
            let keys = try InternetSocket.routingKeys(of: InternetSocket.open(datagramsOf: family, in: namespace))
            return Values(mark: keys.mark == 0 ? nil : keys.mark, interface: InterfaceIndex(keys.interface))
        }
    }
}
