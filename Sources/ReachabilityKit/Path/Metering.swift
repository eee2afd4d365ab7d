// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import SystemBus

/// Knows which interface NetworkManager calls metered, while somebody wants to know the path. Lives on the engine's
/// thread.
///
/// NetworkManager is a hint and never needed: nobody waits for it, and where it is not, or not of this network namespace,
/// no interface is metered. There is no timer: who is not there is looked for again when the path has changed.
final class Metering {
    private let namespace: NamespaceContext
    private let loop: EventLoop
    private let changed: () -> Void
    private var connection: BusConnection?
    /// The bus that is here speaks of another namespace, which it will go on doing.
    private var isForeign = false
    /// The interface, as far as it is known.
    private(set) var interface: String?

    /// - Parameter changed: the interface is another one; called on the engine's thread.
    init(_ namespace: NamespaceContext, _ loop: EventLoop, changed: @escaping () -> Void) {
        self.namespace = namespace
        self.loop = loop
        self.changed = changed
    }

    /// Looks for the bus, unless it is there.
    func seek() {
        guard connection == nil, !isForeign else { return }
        switch namespace.connectToBus() {
        case .connected(let descriptor):
            let connection = BusConnection(OwnedDescriptor(owning: descriptor), on: loop) { [weak self] in
                self?.take($0)
            }
            self.connection = connection
            connection.start()
        case .elsewhere: isForeign = true
        case .absent: break
        }
    }

    func end() {
        connection?.close()
        connection = nil
        isForeign = false
        interface = nil
    }

    private func take(_ news: BusConnection.Event) {
        let before = interface
        switch news {
        case .metered(let interface): self.interface = interface
        case .ended: (connection, interface) = (nil, nil)
        }
        if interface != before { changed() }
    }
}

extension NamespaceContext {
    /// Connects to the bus that speaks of this namespace.
    fileprivate func connectToBus() -> BusSocket.Outcome {
        (try? inside { () throws(NetlinkError) in BusSocket.connect(to: BusAddress.ofSystem) }) ?? .absent
    }

    /// What NetworkManager says now, for somebody who will wait so long and no longer.
    func meteredInterface(patience: Duration) -> String? {
        guard case .connected(let descriptor) = connectToBus() else { return nil }
        return BusConnection.meteredInterface(over: OwnedDescriptor(owning: descriptor), timeout: patience)
    }
}
