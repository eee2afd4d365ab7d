// SPDX-License-Identifier: Apache-2.0

package import LinuxSystem
import Netlink
package import NetworkFacts
import Synchronization

/// What a new socket of this process has before the process sets anything: a firewall mark, and an interface it is bound to.
///
/// A program that is attached to the process's control group sets them (BPF_CGROUP_INET_SOCK_CREATE, bpf(2)); `ip vrf
/// exec` and systemd's BindNetworkInterface= attach one. A question over netlink carries neither by itself, so it is asked
/// with what a new socket has.
///
/// Nothing announces that a program was attached, or that the process moved to another group. So a new socket is looked at
/// again when the kernel is asked and the last look is older than `maximumAge`. A look takes some 10 µs.
package final class SocketDefaults: Sendable {
    package struct Values: Hashable, Sendable {
        package var mark: UInt32?
        package var interface: InterfaceIndex?

        package init(mark: UInt32? = nil, interface: InterfaceIndex? = nil) {
            self.mark = mark
            self.interface = interface
        }
    }

    /// Makes a socket of the family, and says what it has.
    package typealias Reader = @Sendable (AddressFamily) throws(Errno) -> Values

    /// In nanoseconds, and computed, as it is needed at every question: a stored one is looked up through `swift_once`.
    package static var maximumAge: UInt64 { 1_000_000_000 }

    private let read: Reader
    /// The mark above the interface's number. Zero stands for none, as it does for a socket.
    private let ipv4 = Atomic<UInt64>(0)
    private let ipv6 = Atomic<UInt64>(0)
    private let lastLook: Atomic<UInt64>
    private let changes = Atomic<UInt64>(0)

    /// - Throws: where there is no descriptor or memory for a socket. Where sockets of a family are forbidden there is
    ///   nothing that one could have.
    package init(at now: BootTime, read: @escaping Reader) throws(Errno) {
        self.read = read
        lastLook = Atomic(now.nanoseconds)
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

    /// How often a look found something else than the look before.
    package var changeCount: UInt64 { changes.load(ordering: .acquiring) }

    /// Looks again where the last look is too old. Returns whether anything is different.
    package func refresh(at now: BootTime) -> Bool {
        let last = lastLook.load(ordering: .relaxed)
        guard now.nanoseconds >= last &+ Self.maximumAge,
            lastLook.compareExchange(expected: last, desired: now.nanoseconds, ordering: .relaxed).exchanged
        else { return false }
        return refresh()
    }

    /// Looks again. What cannot be found out stays as it was.
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
    /// Those of the namespace that the handle leads to; of the calling thread's own without one.
    package convenience init(in namespace: NamespaceHandle?) throws(Errno) {
        try self.init(at: SystemTime().now()) { (family) throws(Errno) in
            let make: @Sendable () throws(Errno) -> Int32 = { () throws(Errno) in
                try InternetSocket.open(datagramsOf: family.linuxValue).release()
            }
            let rawDescriptor = if let namespace { try namespace.makeSocket(make) } else { try make() }
            let keys = try InternetSocket.routingKeys(of: OwnedDescriptor(owning: rawDescriptor))
            return Values(mark: keys.mark == 0 ? nil : keys.mark, interface: InterfaceIndex(keys.interface))
        }
    }
}
