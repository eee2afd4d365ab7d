// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import SystemBus

/// Keeps the name of the interface that NetworkManager calls metered, while there are path subscribers.
///
/// NetworkManager is optional. Nothing waits for it, and no interface is metered where it does not run or belongs to
/// another network namespace. There is no timer: if there was no connection, the next change of the path tries again.
final class Metering: MeteredInterfaceSource {
    private let namespace: NamespaceContext
    private let loop: EventLoop
    private let changed: () -> Void
    private var connection: BusConnection?
    /// The system bus belongs to another namespace. That does not change.
    private var isForeign = false
    private(set) var interface: String?

    init(_ namespace: NamespaceContext, _ loop: EventLoop, changed: @escaping () -> Void) {
        self.namespace = namespace
        self.loop = loop
        self.changed = changed
    }

    func connect() {
        guard connection == nil, !isForeign else { return }
        switch namespace.connectToBus() {
        case .connected(let descriptor):
            let connection = BusConnection(OwnedDescriptor(owning: descriptor), on: loop) { [weak self] in
                self?.handle($0)
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

    private func handle(_ event: BusConnection.Event) {
        let before = interface
        switch event {
        case .metered(let interface): self.interface = interface
        case .ended: (connection, interface) = (nil, nil)
        }
        if interface != before { changed() }
    }

    static func interface(in namespace: NamespaceContext, timeout: Duration) -> String? {
        guard case .connected(let descriptor) = namespace.connectToBus() else { return nil }
        return BusConnection.meteredInterface(over: OwnedDescriptor(owning: descriptor), timeout: timeout)
    }
}

extension NamespaceContext {
    /// Connects to the system bus if it belongs to this namespace.
    fileprivate func connectToBus() -> BusSocket.Outcome {
        (try? inside { () throws(NetlinkError) in BusSocket.connect(to: BusAddress.ofSystem) }) ?? .absent
    }
}
