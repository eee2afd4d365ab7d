// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Netlink
import SystemBus

/// Keeps what NetworkManager says of the network, while there are path subscribers.
///
/// NetworkManager is optional. Nothing waits for it, and nothing is known where it does not run or belongs to another
/// network namespace. There is no timer: if there was no connection, the next change of the path tries again.
final class NetworkManagerHints: NetworkHintSource {
    private let namespace: NamespaceContext
    private let loop: EventLoop
    private let changed: () -> Void
    private var connection: BusConnection?
    /// The system bus belongs to another namespace. That does not change.
    private var isForeign = false
    private(set) var hints = NetworkHints()

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
        hints = NetworkHints()
    }

    private func handle(_ event: BusConnection.Event) {
        let before = hints
        switch event {
        case .report(let report): hints = NetworkHints(report)
        case .ended: (connection, hints) = (nil, NetworkHints())
        }
        if hints != before { changed() }
    }

    static func hints(in namespace: NamespaceContext, timeout: Duration) -> NetworkHints {
        guard case .connected(let descriptor) = namespace.connectToBus(),
            let report = BusConnection.report(over: OwnedDescriptor(owning: descriptor), timeout: timeout)
        else { return NetworkHints() }
        return NetworkHints(report)
    }
}

extension NetworkHints {
    fileprivate init(_ report: NetworkManager.Report) {
        meteredInterface = report.meteredInterface
        connectivity =
            switch report.connectivity {
            case .unknown: .unknown
            case .none: .none
            case .portal: .portal
            case .limited: .limited
            case .full: .full
            }
    }
}

extension NamespaceContext {
    /// Connects to the system bus if it belongs to this namespace.
    fileprivate func connectToBus() -> BusSocket.Outcome {
        (try? inside { () throws(NetlinkError) in BusSocket.connect(to: BusAddress.ofSystem) }) ?? .absent
    }
}
